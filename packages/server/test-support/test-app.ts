import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { type Script, type ScriptedModels, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { Memory } from '@retinue/memory'
import { z } from 'zod'
import { createHandler, type RetinueServer } from '../src/create-handler.ts'
import type { Caller } from '../src/settings/caller.ts'
import type { ServerSettings } from '../src/settings/settings.ts'

export interface TestApp {
  readonly app: Retinue
  readonly storage: Storage
  readonly script: ScriptedModels
  readonly server: RetinueServer
  /** What the tool `pay` was called with. */
  readonly paid: unknown[]
  /** What was logged. */
  readonly log: string[]
  /** Sends a request. `as`: who asks, where the server has users. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  post(path: string, body?: unknown, options?: CallOptions): Promise<Response>
  get(path: string, options?: CallOptions): Promise<Response>
}

export interface CallOptions {
  readonly body?: unknown
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface TestAppOptions {
  readonly script?: Script
  readonly settings?: ServerSettings
  readonly storage?: Storage
  readonly durable?: boolean
  /** What the tool `pay` waits for. */
  readonly holds?: Promise<void>
  /** Tells users apart by the header `x-user`; `root` sees all. */
  readonly users?: boolean
  /** What they bring along. */
  readonly context?: Caller['context']
}

/** Who asks, by a header that only tests have. */
function byHeader(context?: Caller['context']): NonNullable<ServerSettings['auth']> {
  return (request) => {
    const user = request.headers.get('x-user')
    if (user === null) return undefined
    const own = context === undefined ? {} : { context }
    return user === 'root' ? { resourceId: 'root', sees: 'all', ...own } : { resourceId: user, ...own }
  }
}

/**
 * An application behind a server: `sup` with a memory, its subagent `clerk`, whose tool `pay` waits for a person, and the tools `add`,
 * `ask` (suspends), `fail` and `locate` (the client's to run); `plain` remembers nothing. `lead` and `loner`, which remembers nothing, send
 * `scout` into the background, which has `pay` and may ask people.
 */
export function testApp(options: TestAppOptions = {}): TestApp {
  const { storage = new InMemoryStorage(), settings, users = false, durable } = options
  const script = scriptedModels(options.script ?? {})
  const paid: unknown[] = []
  const log: string[] = []
  const pay = createTool({
    id: 'pay',
    description: 'Pays a bill.',
    inputSchema: z.object({ euros: z.number() }),
    requireApproval: true,
    execute: async (input) => {
      await options.holds
      paid.push(input)
      return { paid: input.euros }
    },
  })
  const ask = createTool({
    id: 'ask',
    inputSchema: z.object({}),
    execute: (_input, { suspend, resumeData }) =>
      resumeData === undefined ? suspend({ question: 'which?' }) : resumeData,
  })
  const add = createTool({
    id: 'add',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  })
  const fail = createTool({
    id: 'fail',
    inputSchema: z.object({}),
    execute: () => {
      throw new Error('failed: canary-error-tool-7f3a91')
    },
  })
  const locate = createTool({ id: 'locate', inputSchema: z.object({}) })
  const clerk = new Agent({ id: 'clerk', description: 'Pays.', model: script.at('sup/clerk'), tools: { pay } })
  const sup = new Agent({
    id: 'sup',
    model: script.at('sup'),
    agents: { clerk },
    tools: { add, ask, fail, locate, pay_bill: pay },
    memory: new Memory(),
  })
  const plain = new Agent({ id: 'plain', model: script.at('plain'), tools: { add, locate, pay_bill: pay } })
  const inBackground = (id: string) =>
    ({
      id,
      model: script.at(id),
      agents: {
        scout: new Agent({
          id: 'scout',
          description: 'Scouts.',
          model: script.at(`${id}/scout`),
          tools: { pay, add, fail },
        }),
      },
      backgroundTasks: { tools: { scout: { ask: 'person' } } },
    }) as const
  const lead = new Agent({ ...inBackground('lead'), memory: new Memory() })
  const loner = new Agent(inBackground('loner'))
  const logger = { warn: (message: string) => void log.push(message) }
  const app = new Retinue({
    agents: { sup, plain, lead, loner },
    storage,
    logger,
    backgroundTasks: { enabled: true },
    ...(durable ? { durable } : {}),
  })
  const auth = users ? { auth: byHeader(options.context) } : {}
  const server = createHandler({ app: app as unknown as Retinue, settings: { ...auth, ...settings } })
  const call: TestApp['call'] = (method, path, { body, as, headers, signal } = {}) =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(as === undefined ? {} : { 'x-user': as }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      }),
    )
  return {
    app: app as unknown as Retinue,
    storage,
    script,
    server,
    paid,
    log,
    call,
    post: (path, body, more) => call('POST', path, { body: body ?? {}, ...more }),
    get: (path, more) => call('GET', path, more),
  }
}
