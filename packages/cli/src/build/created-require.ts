import type { ESTree } from 'rolldown/utils'
import { Visitor } from 'rolldown/utils'

/** A piece of a source, and what stands in its place. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What a module asks through functions that `createRequire` made for its own place. */
export interface CreatedRequires {
  /** So that a bundler sees each call with a text as a `require` of its own. */
  readonly edits: readonly Edit[]
  /** `createRequire(import.meta.url)`, where all that is asked of it is either seen now or told. */
  readonly made: ReadonlySet<ESTree.Node>
  /** What only the running module knows. */
  readonly told: readonly ESTree.Node[]
}

/** What a function of the module that is called `require` is called beside the bundler's. */
const RENAMED = '__createdRequire'

/**
 * Follows `createRequire(import.meta.url)('./a.cjs')`, and calls of a constant of the module that holds such a function. One whose name
 * means something else in another place of the module is not followed, and all its calls are told.
 */
export function createdRequires(program: ESTree.Program): CreatedRequires {
  const made = new Set<ESTree.Node>()
  const bound = new Map<string, ESTree.Node>()
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue
    for (const { id, init } of declaration.declarations) {
      if (init === null || !isMade(init) || id.type !== 'Identifier') continue
      bound.set(id.name, id)
      made.add(init)
    }
  }
  const edits: Edit[] = []
  const told: ESTree.Node[] = []
  const uses = new Uses(bound)
  uses.visit(program)
  for (const call of uses.calls) {
    const { callee, arguments: given } = call
    const isDirect = isMade(callee)
    if (isDirect) made.add(callee)
    if (!isText(given[0]) || (!isDirect && uses.isUnsure(nameOf(callee)))) told.push(call)
    else if (nameOf(callee) !== 'require') edits.push({ start: callee.start, end: callee.end, text: 'require' })
  }
  told.push(...uses.resolved, ...uses.handedOn(told))
  const renamed = bound.has('require') && !uses.isUnsure('require') ? uses.others.get('require') : undefined
  for (const { start, end } of renamed ?? []) edits.push({ start, end, text: RENAMED })
  return { edits, made, told }
}

/** Where the names that hold such functions stand. */
class Uses {
  readonly calls: ESTree.CallExpression[] = []
  /** Calls of their `resolve`. */
  readonly resolved: ESTree.Node[] = []
  /** Where a name stands and is not called with a text. */
  readonly others = new Map<string, ESTree.Node[]>()
  readonly #bound: ReadonlyMap<string, ESTree.Node>
  readonly #unsure = new Set<string>()
  /** Identifiers that are names of members, or called with a text. */
  readonly #not = new Set<number>()

  /** Where a name hands nothing on: its declarations, `typeof`, objects of which `resolve` is asked. */
  readonly #harmless = new Set<number>()

  constructor(bound: ReadonlyMap<string, ESTree.Node>) {
    this.#bound = bound
  }

  isUnsure(name: string): boolean {
    return this.#unsure.has(name)
  }

  /** Where such a function is handed to somebody, who may ask it for anything. */
  handedOn(told: readonly ESTree.Node[]): readonly ESTree.Node[] {
    const known = new Set(told.map((node) => node.start))
    const isMeant = ({ start }: ESTree.Node): boolean => !known.has(start) && !this.#harmless.has(start)
    return [...this.others].flatMap(([name, nodes]) =>
      nodes.filter((node) => node !== this.#bound.get(name) && isMeant(node)),
    )
  }

  visit(program: ESTree.Program): void {
    const declared = (node: ESTree.Node | null | undefined): void => {
      if (node?.type !== 'Identifier' || !this.#bound.has(node.name) || this.#bound.get(node.name) === node) return
      this.#unsure.add(node.name)
      this.#harmless.add(node.start)
    }
    const takes = ({ params }: { readonly params: readonly ESTree.Node[] }): void => params.forEach(declared)
    new Visitor({
      VariableDeclarator: ({ id }) => declared(id),
      FunctionDeclaration: takes,
      FunctionExpression: takes,
      ArrowFunctionExpression: takes,
      MemberExpression: ({ object, property, computed }) => {
        if (computed) return
        this.#not.add(property.start)
        if (nameOf(property) === 'resolve') this.#harmless.add(object.start)
      },
      Property: ({ key, computed, shorthand }) => {
        if (shorthand) return declared({ ...key } as ESTree.Node)
        if (!computed) this.#not.add(key.start)
      },
      ExportSpecifier: ({ local }) => declared({ ...local } as ESTree.Node),
      UnaryExpression: ({ argument }) => void this.#harmless.add(argument.start),
      CallExpression: (node) => this.#called(node),
      Identifier: (node) => {
        if (!this.#bound.has(node.name) || this.#not.has(node.start)) return
        this.others.set(node.name, [...(this.others.get(node.name) ?? []), node])
      },
    }).visit(program)
  }

  #called(node: ESTree.CallExpression): void {
    const { callee, arguments: given } = node
    if (isMade(callee) || this.#bound.has(nameOf(callee))) {
      this.calls.push(node)
      if (isText(given[0])) this.#not.add(callee.start)
    }
    if (callee.type !== 'MemberExpression' || nameOf(callee.property) !== 'resolve') return
    // The name `require` is told wherever it stands.
    const name = nameOf(callee.object)
    if (isMade(callee.object) || (name !== 'require' && this.#bound.has(name))) this.resolved.push(node)
  }
}

/** `createRequire(import.meta.url)`, or of its file name. */
function isMade(node: ESTree.Node): boolean {
  if (node.type !== 'CallExpression') return false
  const { callee, arguments: given } = node
  const isCreate = nameOf(callee.type === 'MemberExpression' ? callee.property : callee) === 'createRequire'
  const [place] = given
  return isCreate && place?.type === 'MemberExpression' && place.object.type === 'MetaProperty'
}

function nameOf(node: ESTree.Node): string {
  return node.type === 'Identifier' ? node.name : ''
}

/** A text of which nothing is decided later. */
export function isText(node: ESTree.Node | undefined): boolean {
  if (node?.type === 'TemplateLiteral') return node.expressions.length === 0
  return node?.type === 'Literal' && typeof node.value === 'string'
}
