import type { Agent, AgentInput, RunOptions, RunStream } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import type { MemoryOption } from '@retinue/core/memory'
import { defined } from '../defined.ts'
import { threadBusy } from '../errors/request-errors.ts'
import { contextOf } from '../http/caller-context.ts'
import type { Services } from '../http/services.ts'
import type { Leg } from '../runs/run-hub.ts'
import type { ClientOptions } from '../schemas/run-options.ts'
import type { Caller } from '../settings/caller.ts'
import { clientOptions } from './client-options.ts'

/** What begins. */
export interface NewRun {
  readonly agent: Agent
  readonly input: AgentInput
  readonly caller: Caller
  readonly resourceId: string
  readonly threadId?: string | undefined
  readonly onBusy?: MemoryOption['onBusy'] | undefined
  /** The person's message of the thread that it takes the place of, with all that came after it. */
  readonly replaceFrom?: string | undefined
  /** UI messages are kept in the thread under the ids that they came with. */
  readonly keepMessageIds?: boolean
  readonly options?: ClientOptions
  /** Tools that the client brings along, and which of them it wants called. */
  readonly more?: Pick<RunOptions, 'toolsets' | 'toolChoice'>
}

/** How long a run may wait for the one before it in its thread. A connection on which nothing is said for longer is cut by others. */
const LONGEST_WAIT_MS = 10_000

/** Begins a run for a resource. Rejects, and nothing has begun, with the typed errors of the agent; `server-closing`. */
export async function beginRun(services: Services, given: NewRun): Promise<Leg> {
  const { hub, resolveModel } = services
  const { agent, input, caller, resourceId, threadId, options = {}, more } = given
  hub.assertOpen()
  const requestContext = contextOf(caller)
  const memory = memoryFor(given)
  const run: RunOptions = {
    ...(await clientOptions(agent, options, requestContext)),
    ...more,
    requestContext,
    ...(resolveModel ? { resolveModel } : {}),
    ...(memory ? { memory } : { owner: resourceId }),
  }
  const stream = await begun(agent, input, run, threadId)
  if (hub.isClosing) {
    stream.abort('the server is about to end')
    await stream.result
    hub.assertOpen()
  }
  return hub.track(stream, { agentId: agent.id, threadId, resourceId })
}

function memoryFor({ threadId, resourceId, onBusy, replaceFrom, keepMessageIds }: NewRun): MemoryOption | undefined {
  if (threadId === undefined) return undefined
  const given = defined({ onBusy, replaceFrom, keepMessageIds })
  return { thread: threadId, resource: resourceId, busyTimeoutMs: LONGEST_WAIT_MS, ...given }
}

/** Begins a run. Whatever is being written when its time is over is written: only for the thread it waits no longer. */
async function begun(
  agent: Agent,
  input: AgentInput,
  run: RunOptions,
  threadId: string | undefined,
): Promise<RunStream> {
  try {
    return await agent.stream(input, run)
  } catch (thrown) {
    throw threadId !== undefined && isRetinueError(thrown, 'thread-busy') ? threadBusy(threadId) : thrown
  }
}
