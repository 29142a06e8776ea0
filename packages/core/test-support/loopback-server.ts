import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { chatRules } from './chat-rules.ts'
import { geminiRules } from './gemini-rules.ts'
import { messagesRules } from './messages-rules.ts'
import { responsesRules } from './responses-rules.ts'
import { type Json, record } from './wire-json.ts'
import type { WireRules } from './wire-rules.ts'

/** A request as it arrived. */
export interface WireRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body, byte for byte. */
  readonly raw: string
  readonly body: Json
  /** Resolves when the connection is gone before the answer was complete. */
  readonly cut: Promise<void>
}

/** How the server answers one request. */
export type Answer = (reply: Reply, request: WireRequest) => void | Promise<void>

/** A provider on this machine: what it was asked, and where it is. */
export interface LoopbackServer {
  /** Without a path. */
  readonly url: string
  readonly requests: readonly WireRequest[]
}

/** What a server can do to an answer. */
export class Reply {
  readonly #response: ServerResponse
  readonly #hear: (text: string) => void

  constructor(response: ServerResponse, hear: (text: string) => void) {
    this.#response = response
    this.#hear = hear
  }

  /** Sends parts of an event stream; resolves when they have left. */
  async send(...parts: readonly (string | Uint8Array)[]): Promise<void> {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) {
      this.#hear(typeof part === 'string' ? part : new TextDecoder().decode(part))
      await new Promise<void>((resolve) => this.#response.write(part, () => resolve()))
    }
  }

  /** Sends a whole answer. */
  async whole(parts: readonly (string | Uint8Array)[]): Promise<void> {
    await this.send(...parts)
    this.end()
  }

  /** Refuses with a status. */
  status(code: number, body: unknown, headers: Record<string, string> = {}): void {
    this.#response.writeHead(code, { 'content-type': 'application/json', ...headers })
    this.#response.end(JSON.stringify(body))
  }

  end(): void {
    this.#response.end()
  }

  /** Breaks the connection. */
  destroy(): void {
    this.#response.destroy()
  }

  /** Hands the answer of another server through. */
  from(upstream: IncomingMessage): void {
    this.#response.writeHead(upstream.statusCode ?? 502, upstream.headers)
    upstream.on('data', (data: Buffer) => this.#hear(data.toString()))
    upstream.on('error', () => this.#response.destroy())
    upstream.pipe(this.#response)
  }
}

/**
 * A server that answers each request with the next of `answers`. Every request must pass the strict rules of its protocol, and
 * every answer must be asked for: else the test fails.
 */
export async function startServer(answers: readonly Answer[]): Promise<LoopbackServer> {
  const server = await listen((reply, asked, index) => {
    const answer = answers[index]
    if (answer) return answer(reply, asked)
    reply.status(400, { error: { message: 'No answer is left.' } })
  })
  onTestFinished(() => expect(server.requests).toHaveLength(answers.length))
  return server
}

/** A server that hands every request to another one, and checks it on the way. */
export function startFront(target: string): Promise<LoopbackServer> {
  return listen(
    (reply, { path, headers, raw }) =>
      new Promise((resolve, reject) => {
        const { host: _host, ...rest } = headers
        const onward = request(new URL(path, target), { method: 'POST', headers: rest }, (upstream) => {
          reply.from(upstream)
          upstream.on('close', resolve)
        })
        onward.on('error', reject)
        onward.end(raw)
      }),
  )
}

/** The URL of a port on which nobody listens any more. */
export async function deadUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

type Handler = (reply: Reply, asked: WireRequest, index: number) => void | Promise<void>

async function listen(handle: Handler): Promise<LoopbackServer> {
  const requests: WireRequest[] = []
  const problems: string[] = []
  const rules = new Map<string, WireRules>()
  const server = createServer(async (incoming, response) => {
    const asked = await read(incoming, response)
    const index = requests.push(asked) - 1
    const checked = rulesOf(asked.path, rules)
    const found = checked?.problems(asked.body) ?? [`${asked.path} is no path of a provider.`]
    if (found.length > 0) {
      problems.push(...found.map((problem) => `request ${index}: ${problem}`))
      new Reply(response, () => {}).status(400, { error: { message: found.join(' ') } })
      return
    }
    let said = ''
    response.on('close', () => checked?.answered(said))
    const reply = new Reply(response, (text) => {
      said += text
    })
    try {
      await handle(reply, asked, index)
    } catch (error) {
      problems.push(String(error))
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect(problems).toEqual([])
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

async function read(incoming: IncomingMessage, response: ServerResponse): Promise<WireRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const raw = Buffer.concat(chunks).toString()
  const cut = new Promise<void>((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) resolve()
    })
  })
  return { path: incoming.url ?? '', headers: incoming.headers, raw, body: record(JSON.parse(raw)), cut }
}

function rulesOf(path: string, made: Map<string, WireRules>): WireRules | undefined {
  const kind = /\/(chat\/completions|responses|messages)$|:(streamGenerateContent)\?alt=sse$/.exec(path)
  const name = kind?.[1] ?? kind?.[2]
  if (name === undefined) return undefined
  const known = made.get(name) ?? RULES[name]?.()
  if (known) made.set(name, known)
  return known
}

const RULES: Readonly<Record<string, () => WireRules>> = {
  'chat/completions': chatRules,
  responses: responsesRules,
  messages: messagesRules,
  streamGenerateContent: geminiRules,
}
