import { RetinueError } from '../errors/retinue-error.ts'
import type { LoopTool, ToolSet } from './run.ts'

/** The tools of a set that are active, in the order of the set. Throws `option-invalid` for a name that is none of them. */
export function activeTools(tools: ToolSet, names: readonly string[] | undefined): ToolSet {
  if (names === undefined) return tools
  const unknown = names.filter((name) => !tools.byName.has(name))
  if (unknown.length > 0) {
    throw new RetinueError({
      code: 'option-invalid',
      message: `activeTools names what is no tool here: ${unknown.join(', ')}.`,
      hint: `The tools are ${[...tools.byName.keys()].join(', ') || 'none'}.`,
    })
  }
  const active = new Set(names)
  const byName = new Map<string, LoopTool>()
  for (const [name, tool] of tools.byName) if (active.has(name)) byName.set(name, tool)
  return { byName, definitions: tools.definitions.filter(({ name }) => active.has(name)) }
}
