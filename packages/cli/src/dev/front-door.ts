import { createServer, type Server, type Socket } from 'node:net'
import { RetinueError } from '@retinue/core/errors'

/** How many ports are tried where nobody asked for a certain one. */
const TRIED = 20

/**
 * The port of `retinue dev`. It is listened at from the beginning to the end, whichever version serves: each connection is handed to the
 * one that serves now, and none is refused while they change places.
 */
export class FrontDoor {
  readonly #take: (socket: Socket) => void
  #server: Server | undefined
  #place: { port: number; host: string } | undefined

  constructor(take: (socket: Socket) => void) {
    this.#take = take
  }

  /** Listens, and gives the URL. Where it listens already it only moves for another place. Rejects with `server-cannot-listen`. */
  async open({ port, host, isFixed }: { port: number; host: string; isFixed: boolean }): Promise<string> {
    const known = this.#place
    if (known?.port === port && known.host === host && this.#server !== undefined) return this.#url()
    const server = await listenNear(port, host, isFixed ? 1 : TRIED)
    server.on('connection', this.#take)
    this.#server?.close()
    this.#server = server
    this.#place = { port, host }
    return this.#url()
  }

  close(): void {
    this.#server?.close()
  }

  #url(): string {
    const address = this.#server?.address()
    const port = typeof address === 'object' && address !== null ? address.port : this.#place?.port
    const host = this.#place?.host ?? ''
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
    return `http://${name}:${port}`
  }
}

async function listenNear(port: number, host: string, tries: number): Promise<Server> {
  for (let at = 0; ; at++) {
    try {
      return await listening(port === 0 ? 0 : port + at, host)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code !== 'EADDRINUSE' || at + 1 >= tries || port + at >= 65_535) throw cannotListen(port, host, error)
    }
  }
}

function listening(port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // Nothing is read of a connection here: who serves it reads it.
    const server = createServer({ pauseOnConnect: true })
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

function cannotListen(port: number, host: string, cause: unknown): RetinueError {
  const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
  const why = isTaken ? 'it is taken' : cause instanceof Error ? cause.message : String(cause)
  return new RetinueError({
    code: 'server-cannot-listen',
    message: `The server can't listen at ${host}:${port}: ${why}.`,
    hint: isTaken
      ? 'End what uses it, or choose another: retinue dev --port 0 takes a free one.'
      : 'Choose another one.',
    data: { port, host },
    cause,
  })
}
