import { optionInvalid } from '../errors/option-errors.ts'
import { isObject } from '../shared/records.ts'
import type { LoopTool, ToolSet } from './run.ts'

/** The tools of a set that are active, in the order of the set. Throws `option-invalid` for a name that is none of them. */
export function activeTools(tools: ToolSet, names: readonly string[] | undefined): ToolSet {
  if (names === undefined) return tools
  const unknown = names.filter((name) => !tools.byName.has(name))
  if (unknown.length > 0)
    throw optionInvalid(
      `activeTools names what is no tool here: ${unknown.join(', ')}.`,
      `The tools are ${[...tools.byName.keys()].join(', ') || 'none'}.`,
    )
  const active = new Set(names)
  const byName = new Map<string, LoopTool>()
  for (const [name, tool] of tools.byName) if (active.has(name)) byName.set(name, tool)
  return { byName, definitions: tools.definitions.filter(({ name }) => active.has(name)) }
}

/** The choice of a tool, which must be one of those that are active: else throws `option-invalid`. */
export function choiceAmong<Choice>(active: ToolSet, choice: Choice): Choice {
  const name = isObject(choice) ? choice['toolName'] : undefined
  if (typeof name !== 'string' || active.byName.has(name)) return choice
  throw optionInvalid(
    `toolChoice names what is no active tool here: ${name}.`,
    `The active tools are ${[...active.byName.keys()].join(', ') || 'none'}.`,
  )
}
