import { posix } from 'node:path'
import type { ESTree } from 'rolldown/utils'
import { parseSync, Visitor } from 'rolldown/utils'
import { nameOf } from './mastra-options.ts'
import { plain } from './plain-expression.ts'

/** The key of what a module calls, or exports by, one of these names. */
export type KeyOf = (file: string, names: readonly string[]) => string | undefined

/** What `new Mastra({ agents: { key: agent } })` says in any of the modules: their sources, by their paths in the tree. */
export function agentKeys(modules: ReadonlyMap<string, string>): KeyOf {
  const keys = new Map<string, string>()
  const ways = new Map<string, string[]>()
  for (const [file, source] of modules) {
    if (!/\bMastra\b|\bexport\b[^;]*\bfrom\b/.test(source)) continue
    const { program, errors } = parseSync(file, source)
    if (errors.length > 0) continue
    for (const [from, to] of handedOn(program, file)) ways.set(from, [...(ways.get(from) ?? []), to])
    const imports = importsOf(program, file)
    new Visitor({
      NewExpression({ callee, arguments: [first] }) {
        if (callee.type !== 'Identifier' || imports.get(callee.name)?.name !== 'Mastra' || first === undefined) return
        const agents = valuesOf(first).get('agents')
        for (const [key, value] of agents === undefined ? [] : valuesOf(agents)) {
          if (value.type !== 'Identifier') continue
          const { from, name } = imports.get(value.name) ?? { from: file, name: value.name }
          keys.set(place(from, name), key)
        }
      },
    }).visit(program)
  }
  for (const [at, key] of keys) for (const to of leadingTo(ways, at)) if (!keys.has(to)) keys.set(to, key)
  return (file, names) => names.map((name) => keys.get(place(file, name))).find((key) => key !== undefined)
}

interface ImportedName {
  readonly from: string
  readonly name: string
}

/** What is imported, by the name that it has in the module. */
function importsOf(program: ESTree.Program, file: string): ReadonlyMap<string, ImportedName> {
  const found = new Map<string, ImportedName>()
  for (const node of program.body) {
    if (node.type !== 'ImportDeclaration') continue
    const from = fromOf(node.source.value, file)
    for (const specifier of node.specifiers) {
      if (specifier.type === 'ImportDefaultSpecifier') found.set(specifier.local.name, { from, name: 'default' })
      else if (specifier.type === 'ImportSpecifier') {
        const { imported, local } = specifier
        found.set(local.name, { from, name: imported.type === 'Literal' ? imported.value : imported.name })
      }
    }
  }
  return found
}

/** What a module exports of others, as pairs of places; all of one under the name `*`. */
function handedOn(program: ESTree.Program, file: string): readonly (readonly [string, string])[] {
  return program.body.flatMap((node) => {
    if (node.type === 'ExportAllDeclaration' && node.exported === null)
      return [[place(file, '*'), place(fromOf(node.source.value, file), '*')] as const]
    if (node.type !== 'ExportNamedDeclaration' || node.source === null) return []
    const from = fromOf(node.source.value, file)
    return node.specifiers.map(({ local, exported }) => {
      return [place(file, nameOf(exported) ?? ''), place(from, nameOf(local) ?? '')] as const
    })
  })
}

/** The places that a place may be handed on from, step by step. */
function leadingTo(ways: ReadonlyMap<string, readonly string[]>, at: string): readonly string[] {
  const found = new Set([at])
  for (const each of found) {
    const [file = '', name = ''] = each.split('\0')
    for (const to of ways.get(each) ?? []) found.add(to)
    // A default export is not among all.
    if (name !== 'default') for (const all of ways.get(place(file, '*')) ?? []) found.add(all.replace(/\*$/, name))
  }
  found.delete(at)
  return [...found]
}

/** What the properties of an object are that are named in it. */
export function valuesOf(node: ESTree.Node): ReadonlyMap<string, ESTree.Node> {
  const found = new Map<string, ESTree.Node>()
  const object = plain(node)
  if (object.type !== 'ObjectExpression') return found
  for (const property of object.properties) {
    const key = property.type === 'Property' && !property.computed ? nameOf(property.key) : undefined
    if (property.type === 'Property' && key !== undefined) found.set(key, plain(property.value))
  }
  return found
}

function fromOf(specifier: string, file: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier
}

/** An import may leave out the extension, or name a folder that has an index. */
function place(file: string, name: string): string {
  return `${file.replace(/\.[mc]?[jt]sx?$/, '').replace(/(?:^|\/)index$/, '')}\0${name}`
}
