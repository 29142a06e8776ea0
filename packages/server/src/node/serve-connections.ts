import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { createHandler, type HandlerOptions } from '../create-handler.ts'

/** A server that listens nowhere: somebody hands it the connections that it serves. */
export interface ConnectionServer {
  /** Serves a connection that was accepted elsewhere, in another process too. */
  take(socket: Socket): void
  /** Ends what goes on (see `RetinueServer.close`), then the connections. To call it again is harmless. */
  close(): Promise<void>
}

/** How long a connection may take for what it was told last. */
const LAST_WORDS_MS = 1_000

/**
 * The same server as `serve` for connections that come from elsewhere, so that of several processes behind one port each serves what it
 * is given. Rejects with what `createHandler` throws.
 */
export async function serveConnections(options: HandlerOptions): Promise<ConnectionServer> {
  const handler = createHandler(options)
  const server = createAdaptorServer({ fetch: (request) => handler.fetch(request) }) as Server
  // A connection is for one request: who asks again is answered by the process that serves then.
  server.maxRequestsPerSocket = 1
  const open = new Set<Socket>()
  await handler.recover()
  const end = async (): Promise<void> => {
    const idle = (): void => server.closeIdleConnections()
    idle()
    await handler.close()
    // Answers that were given are on their way.
    const late = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS)
    idle()
    await Promise.all([...open].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    clearTimeout(late)
  }
  let closing: Promise<void> | undefined
  return {
    take(socket) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      socket.setNoDelay(true)
      server.emit('connection', socket)
      socket.resume()
    },
    close: () => (closing ??= end()),
  }
}
