import type { ESTree } from 'rolldown/utils'
import { parseSync, Visitor } from 'rolldown/utils'

/** A module, as far as the order matters in which modules run. */
export interface OrderedModule {
  readonly code: string | null
  /** The modules that it imports before it runs. */
  readonly importedIds: readonly string[]
}

/**
 * Modules that import each other in a circle, and wait for one that awaits something at its top level. The bundler's functions that
 * keep the order of modules would wait for each other then, for ever.
 */
export function waitingCircle(modules: ReadonlyMap<string, OrderedModule>): readonly string[] {
  const known = new Map<string, boolean>()
  const waits = (id: string): boolean => {
    const before = known.get(id)
    if (before !== undefined) return before
    const module = modules.get(id)
    const found = module !== undefined && awaitsAtTop(id, module.code ?? '')
    known.set(id, found)
    return found
  }
  return circlesOf(modules).find((circle) => [...reachedFrom(circle, modules)].some(waits)) ?? []
}

/** The modules that stand in circles, those of one circle together. */
function circlesOf(modules: ReadonlyMap<string, OrderedModule>): readonly (readonly string[])[] {
  const order: string[] = []
  walk(modules.keys(), (id) => modules.get(id)?.importedIds ?? [], { onLeft: (id) => order.push(id) })
  const importers = new Map<string, string[]>()
  for (const [id, { importedIds }] of modules)
    for (const imported of importedIds) importers.set(imported, [...(importers.get(imported) ?? []), id])
  const groups: string[][] = []
  walk(order.reverse(), (id) => importers.get(id) ?? [], {
    onBegun: () => groups.push([]),
    onLeft: (id) => groups.at(-1)?.push(id),
  })
  return groups.filter(({ length }) => length > 1)
}

function reachedFrom(ids: readonly string[], modules: ReadonlyMap<string, OrderedModule>): ReadonlySet<string> {
  const reached = new Set<string>()
  walk(ids, (id) => modules.get(id)?.importedIds ?? [], { onLeft: (id) => reached.add(id) })
  return reached
}

interface Walker {
  /** At each start that was not reached before. */
  readonly onBegun?: () => void
  /** At each module, after all that it leads to. */
  readonly onLeft: (id: string) => void
}

/** Goes through a graph in depth, each module once. It may be deeper than calls can be. */
function walk(starts: Iterable<string>, next: (id: string) => readonly string[], { onBegun, onLeft }: Walker): void {
  const seen = new Set<string>()
  for (const start of starts) {
    if (seen.has(start)) continue
    onBegun?.()
    seen.add(start)
    const path = [{ id: start, rest: [...next(start)].reverse() }]
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const id = here.rest.pop()
      if (id === undefined) {
        onLeft(here.id)
        path.pop()
      } else if (!seen.has(id)) {
        seen.add(id)
        path.push({ id, rest: [...next(id)].reverse() })
      }
    }
  }
}

const AWAITS = /\bawait\b/

/** Whether a module awaits something before it has run. */
function awaitsAtTop(id: string, code: string): boolean {
  if (!AWAITS.test(code)) return false
  let depth = 0
  let isFound = false
  const enter = (): void => void depth++
  const leave = (): void => void depth--
  const at = (): void => {
    if (depth === 0) isFound = true
  }
  const { program } = parseSync(id.replace(/[?#].*$/, ''), code)
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    AwaitExpression: at,
    ForOfStatement: (node: ESTree.ForOfStatement) => node.await && at(),
    VariableDeclaration: ({ kind }: ESTree.VariableDeclaration) => kind === 'await using' && at(),
  }).visit(program)
  return isFound
}
