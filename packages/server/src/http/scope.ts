import type { BackgroundTask } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import type { AgentMemory } from '@retinue/core/memory'
import { type ThreadKey, taskNotFound } from '@retinue/core/storage'
import { memoryMissing, runNotFound } from '../errors/request-errors.ts'
import type { Caller } from '../settings/caller.ts'
import { contextOf } from './caller-context.ts'
import { type KnownRun, knownRun } from './known-run.ts'
import { agentOf, type Services } from './services.ts'

/** What a route may work on, by its owner rule. It gets no more than this, so it can't forget to check. */
export interface Scopes {
  /** Everybody: it tells nothing of anybody. */
  public: Record<never, never>
  /** Whoever is known: it tells nothing of any resource. */
  caller: { readonly caller: Caller }
  /** Something begins, or is made, for one resource. */
  begin: { readonly caller: Caller; readonly resourceId: string }
  /** What is listed is of one resource; undefined: of all, for those who see all. */
  list: { readonly caller: Caller; readonly resourceId: string | undefined }
  /** One thread of one resource, in the memory of an agent, which checks who owns it with each call. */
  thread: { readonly caller: Caller; readonly memory: AgentMemory; readonly key: ThreadKey }
  /** The threads of one resource, in the memory of an agent. */
  threads: { readonly caller: Caller; readonly memory: AgentMemory; readonly resourceId: string }
  /** One run, of whoever asks. */
  run: { readonly caller: Caller; readonly run: KnownRun }
  /** One background task, of whoever asks: it is that of the run that began it. */
  task: { readonly caller: Caller; readonly task: BackgroundTask }
}

export type OwnerRule = keyof Scopes

/** What a request names. */
export interface Named {
  readonly runId?: string | undefined
  readonly taskId?: string | undefined
  readonly threadId?: string | undefined
  readonly agentId?: string | undefined
  readonly resourceId?: string | undefined
}

/** The scope of a request under each rule. Throws what says that there is no such thing, for what is of others. */
export const SCOPES: {
  readonly [Rule in Exclude<OwnerRule, 'public'>]: (
    services: Services,
    caller: Caller,
    named: Named,
  ) => Promise<Scopes[Rule]>
} = {
  caller: async (_services, caller) => ({ caller }),
  begin: async (_services, caller, { resourceId }) => ({ caller, resourceId: ownResource(caller, resourceId) }),
  list: async (_services, caller, { resourceId }) => {
    const isOfAll = caller.sees === 'all' && resourceId === undefined
    return { caller, resourceId: isOfAll ? undefined : ownResource(caller, resourceId) }
  },
  thread: async (services, caller, { agentId, threadId, resourceId }) => {
    const key = { threadId: String(threadId), resourceId: ownResource(caller, resourceId) }
    return { caller, memory: await memoryOf(services, caller, agentId), key }
  },
  threads: async (services, caller, { agentId, resourceId }) => {
    const own = ownResource(caller, resourceId)
    return { caller, memory: await memoryOf(services, caller, agentId), resourceId: own }
  },
  run: async (services, caller, { runId }) => {
    const run = await knownRun(services, String(runId))
    if (caller.sees !== 'all' && run.resourceId !== caller.resourceId) throw runNotFound(run.runId)
    return { caller, run }
  },
  task: async (services, caller, { taskId }) => {
    const task = await services.app.tasks.get(String(taskId))
    if (caller.sees !== 'all' && task.resourceId !== caller.resourceId) throw taskNotFound(task.taskId)
    return { caller, task }
  },
}

/** The resource that is asked about: who asks, unless they see all and name another. */
function ownResource(caller: Caller, named: string | undefined): string {
  if (named === undefined || named === caller.resourceId) return caller.resourceId
  if (caller.sees === 'all') return named
  throw new RetinueError({
    code: 'resource-refused',
    message: 'The request names a resource that is not yours.',
    hint: 'Leave resourceId out: the server knows who asks.',
  })
}

/** The memory of an agent; without one that is named, that of the first that has one. */
async function memoryOf(services: Services, caller: Caller, agentId: string | undefined): Promise<AgentMemory> {
  const agents = agentId === undefined ? Object.values(services.app.listAgents()) : [agentOf(services, agentId)]
  for (const agent of agents) {
    const memory = await agent.getMemory({ requestContext: contextOf(caller) })
    if (memory) return memory
  }
  throw memoryMissing(agentId)
}
