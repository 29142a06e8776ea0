import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ESTree } from 'rolldown/utils'
import { parseSync, Visitor } from 'rolldown/utils'

/** A module that asks where it stands, rewritten, and the files that it finds from there. */
export interface PlacedModule {
  readonly code: string
  /** Absolute: files and folders that it names beside itself. */
  readonly reads: readonly string[]
  /** Whether it asks in a way from which nobody can say what it reads. */
  readonly isOpen: boolean
}

/** What a module may ask of its place, and how that is said where only the path below `files` is known. */
const PLACES: ReadonlyMap<string, (path: string) => string> = new Map([
  ['url', (path: string) => `new URL(${JSON.stringify(encoded(path))}, FILES).href`],
  ['filename', (path: string) => toPath(encoded(path))],
  ['dirname', (path: string) => toPath(encoded(dirname(path)))],
])

/** Chunks stand in a folder beside that of the files. */
const FILES = `new URL('../files/', import.meta.url)`

function toPath(path: string): string {
  return `process.getBuiltinModule('node:url').fileURLToPath(new URL(${JSON.stringify(path)}, FILES))`
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/**
 * Lets a module that is bundled find its files where the build has put them: `import.meta.url`, `.filename` and `.dirname` tell its
 * place below `files`. `path` is that place, `file` where it stands now. No line moves, so that its source map stays true.
 */
export function placeModule(code: string, file: string, path: string): PlacedModule {
  const { program } = parseSync(file, code)
  const edits: { start: number; end: number; text: string }[] = []
  const reads = new Set<string>()
  let asked = 0
  let followed = 0
  const here = pathToFileURL(file)
  const read = (path: string): void => {
    // A folder that the module itself is in is where it looks for others from, and nobody can say for which.
    if (isWithin(path, file)) return
    followed++
    reads.add(path)
  }
  const visitor = new Visitor({
    MemberExpression(node) {
      const place = placeAsked(node)
      if (place === undefined) return
      asked++
      const text = PLACES.get(place)?.(path).replaceAll('FILES', FILES) ?? ''
      edits.push({ start: node.start, end: node.end, text })
    },
    NewExpression({ callee, arguments: [given, base] }) {
      const text = textOf(given)
      if (!isNamed(callee, 'URL') || text === undefined || base === undefined) return
      if (placeAsked(base) === 'url') read(fileURLToPath(new URL(text, here)).replace(/[\\/]$/, ''))
    },
    CallExpression({ callee, arguments: [first, ...rest] }) {
      const parts = rest.map(textOf)
      const isJoin = isNamed(callee, 'join') || isNamed(callee, 'resolve')
      if (!isJoin || first === undefined || placeAsked(first) !== 'dirname') return
      if (parts.length === 0 || !parts.every((part) => part !== undefined)) return
      read(resolve(dirname(file), ...parts))
    },
  })
  visitor.visit(program)
  return { code: edited(code, edits), reads: [...reads], isOpen: followed < asked }
}

function placeAsked(node: ESTree.Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.object.type !== 'MetaProperty' || node.computed) return undefined
  const { property } = node
  return property.type === 'Identifier' && PLACES.has(property.name) ? property.name : undefined
}

/** `join`, or the member of that name of anything. */
function isNamed(callee: ESTree.Node, name: string): boolean {
  if (callee.type === 'Identifier') return callee.name === name
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === name
}

function textOf(node: ESTree.Node | undefined): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined
  return node.quasis[0]?.value.cooked ?? undefined
}

function isWithin(folder: string, file: string): boolean {
  const inside = relative(folder, file)
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
}

function edited(code: string, edits: readonly { start: number; end: number; text: string }[]): string {
  let text = code
  for (const { start, end, text: by } of [...edits].sort((a, b) => b.start - a.start)) {
    text = text.slice(0, start) + by + text.slice(end)
  }
  return text
}
