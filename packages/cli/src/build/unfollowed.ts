import type { ESTree } from 'rolldown/utils'
import { parseSync, Visitor } from 'rolldown/utils'

/** Something that a module asks for when it runs, and that no build can find for it. */
export interface Unfollowed {
  /** From 1. */
  readonly line: number
  /** As it stands in the source. */
  readonly what: string
  readonly fix: string
}

/** Whether a module may ask in such a way: the others need not be parsed. */
export const MAY_ASK: RegExp =
  /\bimport\s*\(\s*[^'"\s]|\brequire\s*\(\s*[^'"\s)]|\brequire\.resolve|createRequire|import\.meta|__dirname|__filename/

const FIXES = {
  import: "name each module that may be meant: ({ a: () => import('./a.ts'), b: () => import('./b.ts') })[name]()",
  require: 'name each module that may be meant, or list the package in package.json and import it',
  place: 'make it an ES module, and ask import.meta.dirname or import.meta.filename',
} as const

/** Longer expressions are cut where they are told. */
const TOLD = 60

/** What a module of the project asks for in ways that a bundle can't follow: it is not in the output then, and the call fails there. */
export function unfollowedIn(code: string, file: string): readonly Unfollowed[] {
  const { program, module } = parseSync(file, code)
  const found: Unfollowed[] = []
  const tell = (node: ESTree.Node, fix: keyof typeof FIXES): void => {
    const text = code.slice(node.start, node.end).replace(/\s+/g, ' ')
    const what = text.length > TOLD ? `${text.slice(0, TOLD)}…` : text
    found.push({ line: code.slice(0, node.start).split('\n').length, what, fix: FIXES[fix] })
  }
  new Visitor({
    ImportExpression(node) {
      if (!isText(node.source)) tell(node, 'import')
    },
    CallExpression(node) {
      const { callee, arguments: given } = node
      if (isName(callee, 'require') && !isText(given[0])) tell(node, 'require')
      if (callee.type !== 'MemberExpression' || !isName(callee.property, 'resolve')) return
      if (isName(callee.object, 'require') || callee.object.type === 'MetaProperty') tell(node, 'require')
    },
    Identifier(node) {
      // An ES module has no such names but those that it makes itself.
      if (!module.hasModuleSyntax && (isName(node, '__dirname') || isName(node, '__filename'))) tell(node, 'place')
    },
  }).visit(program)
  return found
}

function isName(node: ESTree.Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name
}

/** A text of which nothing is decided later. */
function isText(node: ESTree.Node | undefined): boolean {
  if (node?.type === 'TemplateLiteral') return node.expressions.length === 0
  return node?.type === 'Literal' && typeof node.value === 'string'
}
