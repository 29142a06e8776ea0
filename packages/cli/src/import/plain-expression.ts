import type { ESTree } from 'rolldown/utils'

/** What stands in parentheses, or has its type said. */
export function plain(node: ESTree.Node): ESTree.Node {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
      return plain(node.expression)
    default:
      return node
  }
}
