import type { RequestContextLike } from '../context/request-context.ts'
import type { LoopTool } from '../loop/run.ts'
import { isObject } from '../shared/records.ts'
import { type AgentParts, PARTS } from './agent-parts.ts'
import { withToolsets } from './agent-tools.ts'
import type { RunOptions } from './run-options.ts'

/**
 * The tool of a call somewhere in a tree, by the path of the run that made it; undefined if it can't be found without running anything,
 * such as one that a hook brought: then the run itself looks.
 */
export async function toolAt(
  parts: AgentParts,
  [, ...keys]: readonly string[],
  toolName: string,
  { call, requestContext }: { readonly call: RunOptions; readonly requestContext: RequestContextLike },
): Promise<LoopTool | undefined> {
  let found = parts
  for (const key of keys) {
    const { agents } = found.options
    const all = typeof agents === 'function' ? await agents({ requestContext }) : agents
    const child: unknown = all && Object.hasOwn(all, key) ? all[key] : undefined
    if (!isObject(child)) return undefined
    const below = (child as { [PARTS]?: AgentParts })[PARTS]
    if (!below) return undefined
    found = below
  }
  const own = await found.toolsFor(requestContext)
  const brought = keys.length === 0 ? call.toolsets : undefined
  return (brought ? withToolsets(found.options.id, own, brought) : own).byName.get(toolName)
}
