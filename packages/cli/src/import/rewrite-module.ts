import type { ESTree } from 'rolldown/utils'
import { parseSync, Visitor } from 'rolldown/utils'
import type { LeftOver } from './imported.ts'
import { MODULES, RENAMED } from './mastra-modules.ts'
import { lostOptions, MAKERS } from './mastra-options.ts'

export interface RewriteOptions {
  /** Where it stands in the tree. */
  readonly file: string
  readonly source: string
  /** Folders of the tree that were left out. */
  readonly gone: ReadonlySet<string>
  /** What a relative import that leads out of the tree is called from the new place; undefined where it leads nowhere. */
  readonly outside: (specifier: string) => string | undefined
}

export interface RewrittenModule {
  readonly text: string
  readonly left: readonly LeftOver[]
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Changes the imports of a module of Mastra to ours, and takes out options that mean nothing here. What can't be seen is told. */
export async function rewriteModule(options: RewriteOptions): Promise<RewrittenModule> {
  const { file, source } = options
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) {
    const what = 'it does not parse, and was copied as it is'
    return { text: source, left: [{ file, line: 1, what, fix: 'correct it, and import again' }] }
  }
  const module = new Rewriting(options)
  for (const node of program.body) await module.imports(node)
  const loaded: (readonly [ESTree.Node, ESTree.Node | undefined])[] = []
  new Visitor({
    ImportExpression: (node) => void loaded.push([node, node.source]),
    TSImportType: (node) => void loaded.push([node, node.source]),
    CallExpression(node) {
      const [first] = node.arguments
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') loaded.push([node, first])
      module.made(node.callee, first)
    },
    NewExpression: ({ callee, arguments: [first] }) => module.made(callee, first),
  }).visit(program)
  for (const [node, from] of loaded) module.loads(node, from)
  return module.result()
}

class Rewriting {
  readonly #options: RewriteOptions
  readonly #edits: Edit[] = []
  readonly #left: LeftOver[] = []
  /** What is imported from Mastra, by the name that it has in this module. */
  readonly #locals = new Map<string, string>()

  constructor(options: RewriteOptions) {
    this.#options = options
  }

  /** The imports and exports that name a module. */
  async imports(node: ESTree.Node): Promise<void> {
    if (node.type === 'ExportAllDeclaration') {
      const from = node.source.value
      if (this.#moved(node.source) && MODULES.has(from))
        this.#tell(node, `what is exported of all of "${from}"`, 'export the names that are used, one by one')
    }
    if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') return
    const { source } = node
    if (!source || !this.#moved(source)) return
    const known = MODULES.get(source.value)
    if (known === undefined) return
    const exported = new Set(Object.keys(await known.load()))
    for (const specifier of node.specifiers) {
      const isType =
        (node.type === 'ImportDeclaration' ? node.importKind : node.exportKind) === 'type' ||
        ('importKind' in specifier && specifier.importKind === 'type') ||
        ('exportKind' in specifier && specifier.exportKind === 'type')
      this.#named(specifier, source.value, isType ? undefined : exported)
    }
  }

  /** One name of a module of Mastra. `exported`: the names that there are here, of which a type is none. */
  #named(
    specifier: ESTree.ImportDeclarationSpecifier | ESTree.ExportSpecifier,
    from: string,
    exported: ReadonlySet<string> | undefined,
  ): void {
    const here = MODULES.get(from)?.name
    if (specifier.type === 'ImportNamespaceSpecifier' || specifier.type === 'ImportDefaultSpecifier') {
      const isAll = specifier.type === 'ImportNamespaceSpecifier'
      const what = isAll ? `what is used of all of "${from}"` : `the default export of "${from}"`
      this.#tell(specifier, what, isAll ? `see that each name is in "${here}"` : `"${here}" has none`)
      return
    }
    const [taken, given] =
      specifier.type === 'ImportSpecifier'
        ? [specifier.imported, specifier.local]
        : [specifier.local, specifier.exported]
    const [name, local] = [textOf(taken), textOf(given)]
    if (specifier.type === 'ImportSpecifier') this.#locals.set(local, name)
    const renamed = RENAMED.get(name)
    if (renamed !== undefined) {
      const kind = /^type\s/.test(this.#text(specifier)) ? 'type ' : ''
      this.#edits.push({ ...placeOf(specifier), text: `${kind}${renamed} as ${local}` })
    } else if (exported !== undefined && exported.size > 0 && !exported.has(name))
      this.#tell(specifier, `"${name}" of "${from}" is not in "${here}"`, 'write what it was used for in another way')
  }

  /** A module that is loaded by a call, so that nobody sees which names of it are used. */
  loads(node: ESTree.Node, from: ESTree.Node | undefined): void {
    if (from?.type !== 'Literal' || typeof from.value !== 'string') {
      this.#tell(node, `which module it loads can't be seen: ${this.#text(node)}`, 'see that it is there')
      return
    }
    if (!this.#moved(from) || !MODULES.has(from.value)) return
    const here = MODULES.get(from.value)?.name
    if (node.type === 'TSImportType') return
    this.#tell(node, `what is used of "${from.value}"`, `see that each name is in "${here}"; Mastra is Retinue there`)
  }

  /** Something with options, such as the application. */
  made(callee: ESTree.Node, options: ESTree.Node | undefined): void {
    const name = callee.type === 'Identifier' ? this.#locals.get(callee.name) : undefined
    const maker = name === undefined ? undefined : MAKERS.get(name)
    if (maker === undefined) return
    for (const lost of lostOptions(options, maker.known)) {
      if (lost.name === undefined) {
        this.#tell(lost.node, `what of the ${maker.what} can't be seen: ${this.#text(lost.node)}`, lost.fix)
        continue
      }
      this.#tell(lost.node, `the option "${lost.name}" of the ${maker.what}`, lost.fix)
      const rest = /^\s*,?/.exec(this.#options.source.slice(lost.node.end))?.[0].length ?? 0
      this.#edits.push({ start: lost.node.start, end: lost.node.end + rest, text: '' })
    }
  }

  result(): RewrittenModule {
    let text = this.#options.source
    for (const { start, end, text: by } of [...this.#edits].sort((a, b) => b.start - a.start))
      text = text.slice(0, start) + by + text.slice(end)
    return { text, left: this.#left.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
  }

  /** Changes the name of a module to what it is here. False where there is none, which is told. */
  #moved(source: ESTree.StringLiteral): boolean {
    const { gone, outside } = this.#options
    const from = source.value
    const known = MODULES.get(from)
    if (known === undefined && !/^\.\.?(?:\/|$)/.test(from)) {
      if (from.startsWith('@mastra/'))
        this.#tell(source, `"${from}" has no counterpart`, 'write what it was used for in another way')
      return !from.startsWith('@mastra/')
    }
    const moved = known?.name ?? outside(from)
    if (moved === undefined) {
      this.#tell(source, `"${from}" leads out of the tree`, 'copy it into the project, and import it from there')
      return false
    }
    if (moved !== from) this.#edits.push({ ...placeOf(source), text: `'${moved}'` })
    if (known !== undefined || ![...gone].some((folder) => from.split('/').includes(folder))) return true
    this.#tell(source, `"${from}" was left out`, 'take out what uses it')
    return false
  }

  #tell(node: ESTree.Node, what: string, fix: string): void {
    const { file, source } = this.#options
    this.#left.push({ file, line: source.slice(0, node.start).split('\n').length, what, fix })
  }

  /** What stands there, in one line that is not too long. */
  #text({ start, end }: ESTree.Node): string {
    const text = this.#options.source.slice(start, end).replace(/\s+/g, ' ')
    return text.length > 60 ? `${text.slice(0, 60)}…` : text
  }
}

function placeOf({ start, end }: ESTree.Node): { readonly start: number; readonly end: number } {
  return { start, end }
}

function textOf(name: ESTree.ModuleExportName | ESTree.BindingIdentifier): string {
  return name.type === 'Literal' ? name.value : name.name
}
