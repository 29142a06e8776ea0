import type { ESTree } from 'rolldown/utils'
import { Visitor } from 'rolldown/utils'
import { nameOf } from './mastra-options.ts'
import { plain } from './plain-expression.ts'

/** What is given as a function: where it stands, or the name of one. */
export type FunctionNode = ESTree.ArrowFunctionExpression | ESTree.Function

export function isFunction(node: ESTree.Node | null | undefined): node is FunctionNode {
  return (
    node?.type === 'ArrowFunctionExpression' ||
    node?.type === 'FunctionExpression' ||
    node?.type === 'FunctionDeclaration'
  )
}

/** The functions that have a name at the top of a module. */
export function namedFunctions(program: ESTree.Program): ReadonlyMap<string, FunctionNode> {
  const found = new Map<string, FunctionNode>()
  for (const statement of program.body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (node?.type === 'FunctionDeclaration' && node.id) found.set(node.id.name, node)
    if (node?.type !== 'VariableDeclaration') continue
    for (const { id, init } of node.declarations) {
      const value = init === null ? undefined : plain(init)
      if (id.type === 'Identifier' && isFunction(value)) found.set(id.name, value)
    }
  }
  return found
}

/**
 * Where a function takes one thing of its first parameter, in the parameter or in its body; undefined where it does not. What it hands
 * on whole is not followed.
 */
export function takenOfFirst(program: ESTree.Program, node: FunctionNode, name: string): ESTree.Node | undefined {
  const [given] = node.params
  const first = given?.type === 'AssignmentPattern' ? given.left : given
  if (first?.type !== 'Identifier') return keyIn(first, name)
  const found: ESTree.Node[] = []
  const takes = (pattern: ESTree.Node, from: ESTree.Node | null): void => {
    const key = from !== null && isNamed(from, first.name) ? keyIn(pattern, name) : undefined
    if (key) found.push(key)
  }
  const visitor = new Visitor({
    VariableDeclarator: ({ id, init }) => takes(id, init),
    AssignmentExpression: ({ left, right }) => takes(left, right),
    MemberExpression(member) {
      const { object, property, computed } = member
      const key = computed && property.type === 'Identifier' ? undefined : nameOf(property)
      if (key === name && isNamed(object, first.name)) found.push(property)
    },
  })
  visitor.visit(program)
  const inside = found.filter(({ start, end }) => start >= node.start && end <= node.end)
  return inside.sort((a, b) => a.start - b.start)[0]
}

function isNamed(node: ESTree.Node, name: string): boolean {
  const value = plain(node)
  return value.type === 'Identifier' && value.name === name
}

/** Where something is taken apart, and one of its names is this one. */
function keyIn(pattern: ESTree.Node | undefined, name: string): ESTree.Node | undefined {
  if (pattern?.type !== 'ObjectPattern') return undefined
  return pattern.properties.find((property) => property.type === 'Property' && nameOf(property.key) === name)
}
