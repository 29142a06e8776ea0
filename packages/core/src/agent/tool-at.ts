import type { RequestContextLike } from '../context/request-context.ts'
import { restoredFork } from '../context/saved-context.ts'
import type { LoopTool, Run } from '../loop/run.ts'
import type { SavedRun } from '../loop/saved-run.ts'
import { isObject } from '../shared/records.ts'
import type { Approval } from '../storage/approvals.ts'
import { type AgentParts, PARTS } from './agent-parts.ts'
import type { Restored } from './open-saved.ts'

/**
 * The tool of a call somewhere in a tree that is about to go on; undefined if it can't be found without running anything, such as one
 * that a hook brought: then the run itself looks. Of two forms of a delegation the one that takes more: what the child's own options
 * say is not known yet.
 */
export async function toolAt(
  run: Run,
  { tree, contexts }: Pick<Restored, 'tree' | 'contexts'>,
  { path, toolName, toolCallId }: Approval,
): Promise<LoopTool | undefined> {
  const [, ...keys] = path
  if (keys.length === 0) return run.tools.byName.get(toolName)
  const requestContext = contextOf(tree.run, toolCallId, run.requestContext, contexts)
  const parts = requestContext && (await partsAt(run.lineage[0], keys, requestContext))
  const tool = parts && (await parts.toolsFor(requestContext)).byName.get(toolName)
  return tool?.withReferences?.() ?? tool
}

async function partsAt(
  root: object | undefined,
  keys: readonly string[],
  requestContext: RequestContextLike,
): Promise<AgentParts | undefined> {
  let found = partsOf(root)
  for (const key of keys) {
    const agents = found?.options.agents
    const all = typeof agents === 'function' ? await agents({ requestContext }) : agents
    found = all && Object.hasOwn(all, key) ? partsOf(all[key]) : undefined
  }
  return found
}

function partsOf(agent: unknown): AgentParts | undefined {
  return isObject(agent) ? (agent as { [PARTS]?: AgentParts })[PARTS] : undefined
}

/** The request context of the run that made a call. */
function contextOf(
  { calls }: SavedRun,
  toolCallId: string,
  own: RequestContextLike,
  contexts: Restored['contexts'],
): RequestContextLike | undefined {
  for (const call of calls ?? []) {
    if (call.toolCallId === toolCallId) return own
    const { delegation } = call
    if (!delegation?.child) continue
    const fork = contexts?.get(delegation.runId) ?? restoredFork(delegation.context, own)
    const found = contextOf(delegation.child, toolCallId, fork, contexts)
    if (found) return found
  }
  return undefined
}
