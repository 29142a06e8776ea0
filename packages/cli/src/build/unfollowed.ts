import type { ESTree } from 'rolldown/utils'
import { parseSync, Visitor } from 'rolldown/utils'
import { createdRequires, isText } from './created-require.ts'

/** Something that a module asks for when it runs, and that no build can find for it. */
export interface Unfollowed {
  /** From 1. */
  readonly line: number
  /** As it stands in the source. */
  readonly what: string
  readonly fix: string
}

/** Whether a module may ask in such a way: the others need not be parsed. A text alone is followed; one that more is made of is not. */
export const MAY_ASK: RegExp =
  /\b(?:import|require)\s*\(\s*(?:[^'"\s)]|'[^'\n]*'\s*[^'\s),]|"[^"\n]*"\s*[^"\s),])|\brequire\.resolve|createRequire|import\.meta|__dirname|__filename|\btypeof\s+require\b/

const FIXES = {
  import: "name each module that may be meant: ({ a: () => import('./a.ts'), b: () => import('./b.ts') })[name]()",
  require: 'name each module that may be meant, or list the package in package.json and import it',
  place: 'make it an ES module, and ask import.meta.dirname or import.meta.filename',
} as const

/** What a script that is started beside the module is missing, if it is copied as it stands. */
export const SCRIPT_FIX =
  "start it with new Worker(new URL('./FILE', import.meta.url)), or import it: what it imports comes along then"

/** Longer expressions are cut where they are told. */
const TOLD = 60

/** What a module of the project asks for in ways that a bundle can't follow: it is not in the output then, and the call fails there. */
export function unfollowedIn(code: string, file: string): readonly Unfollowed[] {
  const { program, module } = parseSync(file, code)
  const found: Unfollowed[] = []
  const tell = (node: ESTree.Node, fix: keyof typeof FIXES): void => void found.push(toldAt(code, node, FIXES[fix]))
  const created = createdRequires(program)
  for (const node of created.told) tell(node, 'require')
  const isCreated = new Set(created.told)
  new Visitor({
    ImportExpression(node) {
      if (!isText(node.source)) tell(node, 'import')
    },
    CallExpression(node) {
      const { callee, arguments: given } = node
      if (isName(callee, 'require') && !isText(given[0]) && !isCreated.has(node)) tell(node, 'require')
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

/** A piece of a source, as it is told. */
export function toldAt(code: string, { start, end }: ESTree.Span, fix: string): Unfollowed {
  const text = code.slice(start, end).replace(/\s+/g, ' ')
  return { line: lineOf(code, start), what: text.length > TOLD ? `${text.slice(0, TOLD)}…` : text, fix }
}

/** From 1. */
export function lineOf(code: string, at: number): number {
  return code.slice(0, at).split('\n').length
}

function isName(node: ESTree.Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name
}
