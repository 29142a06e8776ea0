import type { Expression, ObjectExpression, Program, PropertyKey as SourceKey } from 'oxc-parser'
import { parseSync } from 'oxc-parser'
import { LineIndex, type Position } from './line-index.ts'

/** What can be read off a module without running it. Positions only: what a value is, only loading it tells. */
export interface ModuleShape {
  readonly text: string
  readonly errors: readonly SyntaxProblem[]
  /** The default export: the callee of `agentConfig(…)` or `new Agent(…)`, else the expression. */
  readonly exportAt: Position | undefined
  /** Properties of the object that is exported, or passed to the call that is. */
  readonly properties: ReadonlyMap<string, PropertyShape>
  readonly imports: readonly ImportShape[]
}

export interface SyntaxProblem {
  readonly message: string
  readonly at: Position
}

export interface PropertyShape {
  readonly key: Position
  readonly value: Position
  /** Whether the value stands there, and is not made by what runs, such as from a variable of the environment. */
  readonly isWrittenOut: boolean
  /** The value's own properties, if it is written as an object. */
  readonly properties: ReadonlyMap<string, PropertyShape>
}

export interface ImportShape {
  readonly specifier: string
  readonly at: Position
  /** It is a file or a folder that the module reads beside itself, by its place: no module that it imports. */
  readonly isRead?: true
}

const NONE: ReadonlyMap<string, PropertyShape> = new Map()

/** Parses a module. It never throws: what does not parse has `errors`. */
export function parseModule(file: string, text: string): ModuleShape {
  const lines = new LineIndex(text)
  const parsed = parseSync(file, text, { sourceType: 'module', preserveParens: false, showSemanticErrors: true })
  const errors = parsed.errors
    .filter(({ severity }) => severity === 'Error')
    .map(({ message, labels }) => {
      // Of several labels the last names the place that does not fit what came before.
      const label = labels.at(-1) ?? { start: 0, end: 1 }
      return { message, at: lines.at(label.start, label.end) }
    })
  if (errors.length > 0) return { text, errors, exportAt: undefined, properties: NONE, imports: [] }
  // The syntax tree is as large as many files and is only read where a finding needs a place: most modules have none.
  let exported: ExportShape | undefined
  const exportShape = (): ExportShape => (exported ??= shapeOfExport(parsed.program, lines))
  return {
    text,
    errors,
    get exportAt() {
      return exportShape().exportAt
    },
    get properties() {
      return exportShape().properties
    },
    imports: importsOf(parsed.module, text, lines),
  }
}

type ExportShape = Pick<ModuleShape, 'exportAt' | 'properties'>

function shapeOfExport(program: Program, lines: LineIndex): ExportShape {
  const exported = defaultExport(program)
  if (exported === undefined) return { exportAt: undefined, properties: NONE }
  const object = configObject(exported, program)
  const properties = object === undefined ? NONE : propertiesOf(object, lines, 3)
  return { exportAt: calleePosition(exported, program, lines), properties }
}

type Exported = Expression | { type: string; start: number; end: number }

/** The expression that a module exports as its default, also as `export { x as default }`. */
function defaultExport(program: Program): Exported | undefined {
  for (const statement of program.body) {
    if (statement.type === 'ExportDefaultDeclaration') return statement.declaration
    if (statement.type !== 'ExportNamedDeclaration') continue
    for (const { exported, local } of statement.specifiers) {
      const name = exported.type === 'Literal' ? exported.value : exported.name
      if (name === 'default') return local
    }
  }
  return undefined
}

/** Looks through what adds no value: names of constants, type assertions. */
function unwrap(node: Exported, program: Program): Exported {
  let at = node
  // The bound keeps `const a = b, b = a` from turning for ever.
  for (let step = 0; step < 20; step++) {
    if (isAssertion(at)) at = at.expression
    else if (isIdentifier(at)) {
      const initial = initialValue(at.name, program)
      if (initial === undefined) return at
      at = initial
    } else return at
  }
  return at
}

function isAssertion(node: Exported): node is Exported & { expression: Expression } {
  return node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' || node.type === 'TSNonNullExpression'
}

function isIdentifier(node: Exported): node is Exported & { name: string } {
  return node.type === 'Identifier'
}

function isCall(node: Exported): node is Exported & { callee: Expression; arguments: Expression[] } {
  return node.type === 'CallExpression' || node.type === 'NewExpression'
}

function isObjectExpression(node: Exported): node is ObjectExpression {
  return node.type === 'ObjectExpression'
}

function initialValue(name: string, program: Program): Expression | undefined {
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declaration?.type !== 'VariableDeclaration') continue
    for (const { id, init } of declaration.declarations) {
      if (id.type === 'Identifier' && id.name === name && init) return init
    }
  }
  return undefined
}

/** The object that holds the configuration: the default export itself, or the first argument of the call that makes it. */
function configObject(exported: Exported, program: Program): ObjectExpression | undefined {
  const value = unwrap(exported, program)
  if (isObjectExpression(value)) return value
  if (!isCall(value)) return undefined
  const [argument] = value.arguments
  const object = argument === undefined ? undefined : unwrap(argument, program)
  return object !== undefined && isObjectExpression(object) ? object : undefined
}

function calleePosition(exported: Exported, program: Program, lines: LineIndex): Position {
  const value = unwrap(exported, program)
  const shown = isCall(value) ? value.callee : isIdentifier(value) ? exported : value
  return lines.at(shown.start, shown.end)
}

function propertiesOf(object: ObjectExpression, lines: LineIndex, depth: number): Map<string, PropertyShape> {
  const found = new Map<string, PropertyShape>()
  for (const property of object.properties) {
    if (property.type !== 'Property') continue
    const name = property.computed ? undefined : keyName(property.key)
    if (name === undefined) continue
    const { key, value } = property
    const properties = depth > 1 && isObjectExpression(value) ? propertiesOf(value, lines, depth - 1) : NONE
    found.set(name, {
      key: lines.at(key.start, key.end),
      value: lines.at(value.start, value.end),
      isWrittenOut: isWrittenOut(value),
      properties,
    })
  }
  return found
}

function isWrittenOut(node: Expression): boolean {
  switch (node.type) {
    case 'Literal':
      return true
    case 'TemplateLiteral':
      return node.expressions.length === 0
    case 'UnaryExpression':
      return isWrittenOut(node.argument)
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return isWrittenOut(node.expression)
    case 'ArrayExpression':
      return node.elements.every((each) => each !== null && each.type !== 'SpreadElement' && isWrittenOut(each))
    case 'ObjectExpression':
      return node.properties.every((each) => each.type === 'Property' && !each.computed && isWrittenOut(each.value))
    default:
      return false
  }
}

function keyName(key: SourceKey): string | undefined {
  if (key.type === 'Identifier') return key.name
  return key.type === 'Literal' ? String(key.value) : undefined
}

type Imports = ReturnType<typeof parseSync>['module']

function importsOf(module: Imports, text: string, lines: LineIndex): ImportShape[] {
  const found: ImportShape[] = []
  const add = (specifier: string, start: number, end: number): void => {
    found.push({ specifier, at: lines.at(start, end) })
  }
  const addRead = (specifier: string, { 0: text, index }: RegExpExecArray): void => {
    found.push({ specifier, at: lines.at(index, index + text.length), isRead: true })
  }
  for (const { moduleRequest } of module.staticImports) add(moduleRequest.value, moduleRequest.start, moduleRequest.end)
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest } of entries) {
      if (moduleRequest) add(moduleRequest.value, moduleRequest.start, moduleRequest.end)
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^(['"`])([^'"`$\\]+)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))
    if (literal?.[2]) add(literal[2], moduleRequest.start, moduleRequest.end)
  }
  // A file that a module reads beside itself is as much its own as one that it imports.
  for (const match of text.matchAll(/new URL\(\s*(['"`])(\.[^'"`$\\]*)\1\s*,\s*import\.meta\.url/g)) {
    if (match[2]) addRead(match[2], match)
  }
  for (const match of text.matchAll(JOINED)) {
    const parts = [...(match[1] ?? '').matchAll(/(['"`])([^'"`]*)\1/g)].map(([, , part = '']) => part)
    addRead(`./${parts.join('/')}`, match)
  }
  return found
}

/** `join(import.meta.dirname, 'a', 'b')`, of whatever name the module is imported by. */
const JOINED = /\b(?:join|resolve)\(\s*import\.meta\.dirname\s*((?:,\s*(['"`])[^'"`$\\]*\2\s*)+),?\s*\)/g
