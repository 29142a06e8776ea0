import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { RetinueError } from '@retinue/core/errors'
import { createHandler, type HandlerOptions, type RetinueServer } from '../create-handler.ts'
import { checkedSettings } from '../settings/checked-settings.ts'

export interface ServeOptions extends HandlerOptions {
  /** Goes before that of the settings; 0 takes a free one. */
  readonly port?: number
  /** Goes before that of the settings. */
  readonly host?: string
}

/** A server that listens. */
export interface ListeningServer {
  readonly url: string
  readonly port: number
  /** Takes no new connections, ends what goes on (see `RetinueServer.close`), and lets the port go. */
  close(): Promise<void>
}

/**
 * Listens with Node, and goes on with what a process died over. Rejects with what `createHandler` throws, or with
 * `server-cannot-listen`. The application's storage is not closed with it.
 */
export async function serve({ port, host, settings = {}, ...options }: ServeOptions): Promise<ListeningServer> {
  const own = {
    ...settings,
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
  }
  const { port: wanted, host: name } = checkedSettings(own)
  const handler = createHandler({ ...options, settings: own })
  const server = createAdaptorServer({ fetch: (request) => handler.fetch(request) }) as Server
  const taken = await listen(server, wanted, name)
  try {
    await handler.recover()
  } catch (thrown) {
    await end(server, handler)
    throw thrown
  }
  let closing: Promise<void> | undefined
  return {
    port: taken,
    url: `http://${urlHost(name)}:${taken}`,
    close: () => {
      closing ??= end(server, handler)
      return closing
    },
  }
}

/** The port that was taken. */
function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(cannotListen(error, port, host))
    server.once('error', failed)
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
      server.off('error', failed)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

async function end(server: Server, handler: RetinueServer): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  await handler.close()
  // Answers that were given are on their way; connections that are kept open would hold the port.
  server.closeIdleConnections()
  const late = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS)
  await closed
  clearTimeout(late)
}

/** How long a connection may take for what it was told last. */
const LAST_WORDS_MS = 1_000

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

function cannotListen({ code, message }: NodeJS.ErrnoException, port: number, host: string): RetinueError {
  const isTaken = code === 'EADDRINUSE'
  return new RetinueError({
    code: 'server-cannot-listen',
    message: isTaken
      ? `The port ${port} of ${host} is taken.`
      : `The server can't listen at ${host}:${port}: ${message}`,
    hint: isTaken ? 'End what uses it, or choose another port.' : 'Choose another host or port.',
    data: { port, host, system: code },
  })
}
