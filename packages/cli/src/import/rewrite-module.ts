import type { ESTree } from 'rolldown/utils'
import { parseSync, Visitor } from 'rolldown/utils'
import { missingId } from './agent-id.ts'
import { type FunctionNode, isFunction, namedFunctions, takenOfFirst } from './first-parameter.ts'
import type { LeftOver } from './imported.ts'
import { MODULES, RENAMED } from './mastra-modules.ts'
import { lostOptions, MAKERS, nameOf } from './mastra-options.ts'
import { plain } from './plain-expression.ts'

export interface RewriteOptions {
  /** Where it stands in the tree. */
  readonly file: string
  readonly source: string
  /** What becomes of what it names by its place: of a relative import. */
  readonly placeOf: (specifier: string) => ImportPlace
  /** What the application calls what the module names, or exports, so. */
  readonly keyOf?: (names: readonly string[]) => string | undefined
}

/** Where a relative import leads from the new place. */
export type ImportPlace =
  | { readonly kind: 'here'; readonly specifier: string }
  /** To what was not copied. */
  | { readonly kind: 'left-out' }
  /** Out of the tree, and of the project. */
  | { readonly kind: 'outside' }

export interface RewrittenModule {
  readonly text: string
  readonly left: readonly LeftOver[]
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Something that is told, and where it begins in the source. */
interface Told extends LeftOver {
  readonly at: number
}

/** Changes the imports of a module of Mastra to ours, and takes out options that mean nothing here. What can't be seen is told. */
export async function rewriteModule(options: RewriteOptions): Promise<RewrittenModule> {
  const { file, source } = options
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) {
    const what = 'it does not parse, and was copied as it is'
    return { text: source, left: [{ file, line: 1, what, fix: 'correct it, and import again' }] }
  }
  const module = new Rewriting(options, program)
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
    NewExpression(node) {
      module.made(node.callee, node.arguments[0])
      module.identified(node)
    },
    MemberExpression: (node) => module.called(node),
    ArrowFunctionExpression: (node) => module.taken(node),
    FunctionExpression: (node) => module.taken(node),
    FunctionDeclaration: (node) => module.taken(node),
  }).visit(program)
  for (const [node, from] of loaded) module.loads(node, from)
  return module.result()
}

/** Methods of agents that have another name here. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['generateVNext', 'generate'],
  ['streamVNext', 'stream'],
])

const ALIAS = 'import it by its place, or name it in the "imports" of package.json: it begins with # there'

/** What stands between an option and the comma after it. */
const BEFORE_COMMA = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*,/

class Rewriting {
  readonly #options: RewriteOptions
  readonly #edits: Edit[] = []
  /** Ranges that are taken out: nothing in them is changed, or told. */
  readonly #removed: Edit[] = []
  readonly #left: Told[] = []
  /** What is imported from Mastra, by the name that it has in this module. */
  readonly #locals = new Map<string, string>()

  readonly #program: ESTree.Program

  constructor(options: RewriteOptions, program: ESTree.Program) {
    this.#options = options
    this.#program = program
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
      this.#removed.push({ ...placeOf(lost.node), text: '' })
      const { end } = lost.node
      const comma = BEFORE_COMMA.exec(this.#options.source.slice(end))
      if (comma) this.#edits.push({ start: end + comma[0].length - 1, end: end + comma[0].length, text: '' })
    }
    if (maker.what === 'tool') this.#executes(options)
  }

  /** An agent in code needs an id here; of an early version only its name was wanted. */
  identified(node: ESTree.NewExpression): void {
    const { callee, arguments: given } = node
    if (callee.type !== 'Identifier' || this.#locals.get(callee.name) !== 'Agent') return
    const id = missingId(this.#program, node, this.#options.keyOf ?? (() => undefined))
    if (id === undefined || given[0] === undefined) return
    const at = plain(given[0]).start + 1
    const space = /^\s*/.exec(this.#options.source.slice(at))?.[0] || ' '
    this.#edits.push({ start: at, end: at, text: `${space}id: '${id}',` })
    this.#tell(node, 'an agent without an id', `its id is "${id}" now: write another if it was asked for by another`)
  }

  /** A method of something that may be an agent. */
  called({ computed, property }: ESTree.MemberExpression): void {
    const name = !computed && property.type === 'Identifier' ? METHODS.get(property.name) : undefined
    if (name !== undefined && this.#isMastras) this.#edits.push({ ...placeOf(property), text: name })
  }

  /** What a function is given: of Mastra's callbacks some things have another name here. */
  taken(node: FunctionNode): void {
    const found = this.#isMastras ? this.#ofFirst(node, 'runtimeContext') : undefined
    if (found) this.#tell(found, '"runtimeContext" is not what a function is given here', 'it is called requestContext')
  }

  /** A tool of an early version takes its input out of one argument. */
  #executes(given: ESTree.Node | undefined): void {
    const options = given === undefined ? undefined : plain(given)
    if (options?.type !== 'ObjectExpression') return
    for (const property of options.properties) {
      if (property.type !== 'Property' || nameOf(property.key) !== 'execute') continue
      const value = plain(property.value)
      const called = value.type === 'Identifier' ? namedFunctions(this.#program).get(value.name) : value
      const found = isFunction(called) ? this.#ofFirst(called, 'context') : undefined
      if (found) this.#tell(found, 'the input of a tool is not in "context"', 'write execute: (input, context) => …')
    }
  }

  #ofFirst(node: FunctionNode, name: string): ESTree.Node | undefined {
    // Most modules have no such name: they need not be gone through once more for each of their functions.
    return this.#options.source.includes(name) ? takenOfFirst(this.#program, node, name) : undefined
  }

  result(): RewrittenModule {
    const { file, source } = this.#options
    const isKept = (at: number): boolean => !this.#removed.some(({ start, end }) => at > start && at < end)
    const edits = [...this.#removed, ...this.#edits].filter(({ start }) => isKept(start))
    let text = source
    for (const { start, end, text: by } of edits.sort((a, b) => b.start - a.start))
      text = text.slice(0, start) + by + text.slice(end)
    const told = this.#left.filter(({ at }) => isKept(at)).sort((a, b) => a.at - b.at)
    if (parseSync(file, text).errors.length === 0) return { text, left: told.map(({ at: _at, ...left }) => left) }
    const what = 'what it uses of Mastra could not be changed, and it was copied as it is'
    return { text: source, left: [{ file, line: 1, what, fix: 'change its imports and options by hand' }] }
  }

  /** Whether something of Mastra is used in it. */
  get #isMastras(): boolean {
    return this.#locals.size > 0
  }

  /** Changes the name of a module to what it is here. False where there is none, which is told. */
  #moved(source: ESTree.StringLiteral): boolean {
    const from = source.value
    const known = MODULES.get(from)
    if (known === undefined && !/^\.\.?(?:\/|$)/.test(from)) {
      if (/^(?:@\/|~)/.test(from))
        this.#tell(source, `"${from}" is an alias of tsconfig.json, to which Node pays no heed`, ALIAS)
      if (from.startsWith('#')) this.#tell(source, `"${from}" is one of the "imports" of package.json`, 'carry it over')
      if (from.startsWith('@mastra/'))
        this.#tell(source, `"${from}" has no counterpart`, 'write what it was used for in another way')
      return !from.startsWith('@mastra/')
    }
    const place: ImportPlace =
      known === undefined ? this.#options.placeOf(from) : { kind: 'here', specifier: known.name }
    if (place.kind === 'here') {
      if (place.specifier !== from) this.#edits.push({ ...placeOf(source), text: `'${place.specifier}'` })
      return true
    }
    if (place.kind === 'left-out') this.#tell(source, `"${from}" was left out`, 'take out what uses it')
    else this.#tell(source, `"${from}" leads out of the tree`, 'copy it into the project, and import it from there')
    return false
  }

  #tell(node: ESTree.Node, what: string, fix: string): void {
    const { file, source } = this.#options
    this.#left.push({ file, line: source.slice(0, node.start).split('\n').length, what, fix, at: node.start })
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
