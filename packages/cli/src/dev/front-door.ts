import { createServer, type Server, type Socket } from 'node:net'
import { RetinueError } from '@retinue/core/errors'

/** How many ports are tried where nobody asked for a certain one. */
const TRIED = 20

/** Where to listen. */
export interface Place {
  readonly port: number
  readonly host: string
  /** Somebody asked for this port: no other one will do. */
  readonly isFixed: boolean
}

/**
 * The port of `retinue dev`. It is listened at from the beginning to the end, whichever version serves: each connection is handed to the
 * one that serves now, and none is refused while they change places.
 */
export class FrontDoor {
  readonly #take: (socket: Socket) => void
  readonly #tell: (error: Error) => void
  #server: Server | undefined
  #place: Place | undefined

  /** `tell` hears of connections that could not be accepted. */
  constructor(take: (socket: Socket) => void, tell: (error: Error) => void) {
    this.#take = take
    this.#tell = tell
  }

  /**
   * Listens, and gives the URL. Where it listens already it only moves for another place, and stays where it is if it can't: then it
   * rejects with `server-cannot-listen`.
   */
  async open(place: Place): Promise<string> {
    const before = this.#server
    if (before !== undefined && this.#isAt(place)) return this.#url()
    // Another address of the port that is its own is taken by itself.
    const isInTheWay = before !== undefined && place.port !== 0 && this.#port() === place.port
    if (isInTheWay) before.close()
    try {
      this.#begin(await listenNear(place), place)
    } catch (error) {
      const old = this.#place
      if (isInTheWay && old !== undefined)
        this.#begin(await listenNear({ ...old, port: place.port, isFixed: true }), old)
      throw error
    }
    before?.close()
    return this.#url()
  }

  close(): void {
    this.#server?.close()
  }

  #begin(server: Server, place: Place): void {
    server.on('connection', this.#take)
    server.on('error', this.#tell)
    this.#server = server
    this.#place = place
  }

  /** By the port that it got, or because the same was asked for. */
  #isAt({ port, host, isFixed }: Place): boolean {
    const now = this.#place
    return now?.host === host && (this.#port() === port || (now.port === port && now.isFixed === isFixed))
  }

  #port(): number | undefined {
    const address = this.#server?.address()
    return typeof address === 'object' && address !== null ? address.port : undefined
  }

  #url(): string {
    const host = this.#place?.host ?? ''
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
    return `http://${name}:${this.#port()}`
  }
}

async function listenNear({ port, host, isFixed }: Place): Promise<Server> {
  const tries = isFixed ? 1 : TRIED
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
