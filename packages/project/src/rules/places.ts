import { type AgentDir, mainFile } from '../discover/agent-dir.ts'
import { FILE_START, type Position } from '../discover/line-index.ts'
import type { PropertyShape } from '../discover/module-shape.ts'
import type { Place, RuleContext } from './rule.ts'

/** The default export of a module, or its start if it has none. */
export function exportPlace(context: RuleContext, file: string): Place {
  return placeIn(file, () => exportAt(context, file))
}

function exportAt({ discovered }: RuleContext, file: string): Position {
  return discovered.modules.shape(file)?.exportAt ?? FILE_START
}

/** It is looked up when it is asked for: most places are those of what is in order, and to find one takes a syntax tree. */
function placeIn(file: string, find: () => Position): Place {
  let found: Position | undefined
  return {
    file,
    get at() {
      found ??= find()
      return found
    },
  }
}

/**
 * A property of the agent's config, given by its path from the top. What is not written out (it is spread, or computed) falls back
 * to what holds it, at last to the default export; an agent without a config falls back to the start of its instructions.
 */
export function configPlace(
  context: RuleContext,
  agent: AgentDir,
  path: readonly string[],
  part: 'key' | 'value',
): Place {
  const file = agent.config?.file
  return file === undefined ? { file: mainFile(agent), at: FILE_START } : propertyPlace(context, file, path, part)
}

/** The same for what any module exports. */
export function propertyPlace(
  context: RuleContext,
  file: string,
  path: readonly string[],
  part: 'key' | 'value',
): Place {
  return placeIn(file, () => propertyAt(context, file, path, part))
}

/** Whether the value of a property, or what holds it, stands in the module, so that it is the same wherever that runs. */
export function isWrittenOut({ discovered }: RuleContext, file: string, path: readonly string[]): boolean {
  let properties: ReadonlyMap<string, PropertyShape> | undefined = discovered.modules.shape(file)?.properties
  let found: PropertyShape | undefined
  for (const name of path) {
    found = properties?.get(name)
    properties = found?.properties
  }
  return found?.isWrittenOut === true
}

function propertyAt(context: RuleContext, file: string, path: readonly string[], part: 'key' | 'value'): Position {
  let properties: ReadonlyMap<string, PropertyShape> | undefined = context.discovered.modules.shape(file)?.properties
  let found: PropertyShape | undefined
  for (const name of path) {
    const next: PropertyShape | undefined = properties?.get(name)
    if (next === undefined) break
    found = next
    properties = next.properties
  }
  return found === undefined ? exportAt(context, file) : found[part]
}

/** A folder, a link, or a file as a whole. */
export function pathPlace(path: string): Place {
  return { file: path }
}

/** `"a"`, `"a" and "b"`, `"a", "b" and "c"`. */
export function quoteAll(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`)
  const last = quoted.pop() ?? ''
  return quoted.length === 0 ? last : `${quoted.join(', ')} and ${last}`
}

/** `a number`, `an object`: a kind of value in a sentence. */
export function aKind(kind: string): string {
  if (kind === 'null' || kind === 'undefined') return kind
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`
}
