import type { Agent, AgentInput, RunOptions } from '@retinue/core/agent'
import type { MemoryOption } from '@retinue/core/memory'
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
  readonly options?: ClientOptions
  /** Tools that the client brings along. */
  readonly more?: Pick<RunOptions, 'toolsets'>
}

/** Begins a run for a resource. Rejects, and nothing has begun, with the typed errors of the agent; `server-closing`. */
export async function beginRun(services: Services, given: NewRun): Promise<Leg> {
  const { hub, resolveModel } = services
  const { agent, input, caller, resourceId, threadId, onBusy, options = {}, more } = given
  hub.assertOpen()
  const requestContext = contextOf(caller)
  const memory: MemoryOption | undefined =
    threadId === undefined
      ? undefined
      : { thread: threadId, resource: resourceId, ...(onBusy === undefined ? {} : { onBusy }) }
  const run: RunOptions = {
    ...(await clientOptions(agent, options, requestContext)),
    ...more,
    requestContext,
    ...(resolveModel ? { resolveModel } : {}),
    ...(memory ? { memory } : { owner: resourceId }),
  }
  const stream = await agent.stream(input, run)
  return hub.track(stream, { agentId: agent.id, threadId, resourceId })
}
