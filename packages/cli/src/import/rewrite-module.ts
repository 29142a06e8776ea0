import { parseSync, Visitor } from 'rolldown/utils'
import type { LeftOver } from './imported.ts'

/** What each module is called here. The names in it are looked up when it is imported from. */
const MODULES: ReadonlyMap<string, { readonly name: string; readonly load: () => Promise<object> }> = new Map([
  ['@mastra/core', { name: '@retinue/core', load: () => import('@retinue/core') }],
  ['@mastra/core/mastra', { name: '@retinue/core', load: () => import('@retinue/core') }],
  ['@mastra/core/agent', { name: '@retinue/core/agent', load: () => import('@retinue/core/agent') }],
  ['@mastra/core/tools', { name: '@retinue/core/tools', load: () => import('@retinue/core/tools') }],
  ['@mastra/core/evals', { name: '@retinue/core/evals', load: () => import('@retinue/core/evals') }],
  ['@mastra/core/processors', { name: '@retinue/core/processors', load: () => import('@retinue/core/processors') }],
  [
    '@mastra/core/request-context',
    { name: '@retinue/core/request-context', load: () => import('@retinue/core/request-context') },
  ],
  ['@mastra/memory', { name: '@retinue/memory', load: () => import('@retinue/memory') }],
  ['@mastra/libsql', { name: '@retinue/libsql', load: () => import('@retinue/libsql') }],
  // Its names are looked at by `check`: the package is one that the project installs.
  ['@mastra/evals/scorers/prebuilt', { name: '@retinue/evals/scorers/prebuilt', load: async () => ({}) }],
])

/** Names that are others here. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['Mastra', 'Retinue'],
  ['RuntimeContext', 'RequestContext'],
])

/** What an application is made of here. */
const OPTIONS: ReadonlySet<string> = new Set(['agents', 'storage', 'memory', 'logger', 'durable'])

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface RewrittenModule {
  readonly text: string
  readonly left: readonly LeftOver[]
}

/** Changes the imports of a module of Mastra to ours, and takes out options that mean nothing here. `gone`: folders that were left out. */
export async function rewriteModule(file: string, source: string, gone: ReadonlySet<string>): Promise<RewrittenModule> {
  const { program, errors } = parseSync(file, source)
  const left: LeftOver[] = []
  const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length
  const tell = (offset: number, what: string, fix: string): void =>
    void left.push({ file, line: lineOf(offset), what, fix })
  if (errors.length > 0) {
    tell(0, 'it does not parse, and was copied as it is', 'correct it, and import again')
    return { text: source, left }
  }
  const edits: Edit[] = []
  for (const node of program.body) {
    if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') continue
    const from = node.source?.value
    if (from === undefined) continue
    const known = MODULES.get(from)
    if (known === undefined) {
      if (from.startsWith('@mastra/'))
        tell(node.start, `"${from}" has no counterpart`, 'write what it was used for in another way')
      if (/^\.\.?\//.test(from) && [...gone].some((folder) => from.split('/').includes(folder)))
        tell(node.start, `"${from}" was left out`, 'take out what uses it')
      continue
    }
    edits.push({ start: node.source?.start ?? 0, end: node.source?.end ?? 0, text: `'${known.name}'` })
    if (node.type !== 'ImportDeclaration') continue
    const exported = new Set(Object.keys(await known.load()))
    for (const specifier of node.specifiers) {
      if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') continue
      const { name } = specifier.imported
      const here = RENAMED.get(name)
      const isType = node.importKind === 'type' || specifier.importKind === 'type'
      if (here !== undefined) {
        const kind = specifier.importKind === 'type' ? 'type ' : ''
        edits.push({ start: specifier.start, end: specifier.end, text: `${kind}${here} as ${specifier.local.name}` })
      } else if (!isType && exported.size > 0 && !exported.has(name))
        tell(
          specifier.start,
          `"${name}" of "${from}" is not in "${known.name}"`,
          'write what it was used for in another way',
        )
    }
  }
  new Visitor({
    NewExpression({ callee, arguments: [options] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'Mastra' || options?.type !== 'ObjectExpression') return
      for (const property of options.properties) {
        if (property.type !== 'Property' || property.key.type !== 'Identifier' || OPTIONS.has(property.key.name))
          continue
        tell(
          property.start,
          `the option "${property.key.name}" of the application`,
          'see whether a file of the convention does it',
        )
        const rest = /^\s*,?/.exec(source.slice(property.end))?.[0].length ?? 0
        edits.push({ start: property.start, end: property.end + rest, text: '' })
      }
    },
  }).visit(program)
  return { text: applied(source, edits), left }
}

function applied(source: string, edits: readonly Edit[]): string {
  let text = source
  for (const { start, end, text: by } of [...edits].sort((a, b) => b.start - a.start))
    text = text.slice(0, start) + by + text.slice(end)
  return text
}
