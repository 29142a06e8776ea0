import { createRequire } from 'node:module'
import type { YAMLMap } from 'yaml'
import { LineIndex, type Position } from './line-index.ts'
import type { ModuleShape, PropertyShape, SyntaxProblem } from './module-shape.ts'

/** A Markdown file that may begin with YAML between two lines of `---`. */
export interface SplitText {
  /** The YAML, and the offset in the text at which it begins. */
  readonly head: { readonly yaml: string; readonly offset: number } | undefined
  /** There is a first line of `---`, and no second one. */
  readonly unclosed: boolean
  readonly body: string
  /** The line, from 1, on which the body's first word stands. */
  readonly bodyLine: number
}

const FENCE = /^---[ \t]*$/

/** Takes a text apart; one that does not begin with `---`, blank lines aside, is all body. Nothing of the YAML is read. */
export function splitFrontmatter(text: string): SplitText {
  const lines = text.split('\n')
  const start = Math.max(
    0,
    lines.findIndex((line) => line.trim() !== ''),
  )
  if (!FENCE.test(lines[start] ?? '')) return { head: undefined, unclosed: false, ...bodyOf(lines, 0) }
  const end = lines.findIndex((line, index) => index > start && FENCE.test(line))
  if (end === -1) return { head: undefined, unclosed: true, body: '', bodyLine: 1 }
  const yaml = lines.slice(start + 1, end).join('\n')
  const offset = lines.slice(0, start + 1).join('\n').length + 1
  return { head: { yaml, offset }, unclosed: false, ...bodyOf(lines, end + 1) }
}

function bodyOf(lines: readonly string[], start: number): Pick<SplitText, 'body' | 'bodyLine'> {
  const rest = lines.slice(start)
  const blank = rest.findIndex((line) => line.trim() !== '')
  // Blank lines below the frontmatter set it off; they are no part of the instructions.
  const lead = start === 0 ? 0 : Math.max(0, blank)
  return { body: rest.slice(lead).join('\n'), bodyLine: start + Math.max(0, blank) + 1 }
}

/** The frontmatter as data, and where in the file each of its keys stands. */
export interface Frontmatter {
  /** Keys without a value are left out, as if they were not written. */
  readonly values: Readonly<Record<string, unknown>>
  readonly shape: ModuleShape
}

type Range = readonly [start: number, end: number, ...rest: number[]] | null | undefined
type Locate = (range: Range) => Position

const NONE: ReadonlyMap<string, PropertyShape> = new Map()

/** Reads the frontmatter of a text. It never throws: what is no YAML mapping has `errors`. */
export function parseFrontmatter(text: string): Frontmatter {
  const lines = new LineIndex(text)
  const { head, unclosed } = splitFrontmatter(text)
  const fence = Math.max(0, text.indexOf('---'))
  const exportAt = head === undefined ? undefined : lines.at(fence, fence + 3)
  const made = (values: Frontmatter['values'], errors: readonly SyntaxProblem[], properties = NONE): Frontmatter => {
    return { values, shape: { text, errors, exportAt, properties, imports: [] } }
  }
  if (unclosed)
    return made({}, [{ message: 'no second line of --- ends the frontmatter', at: lines.at(fence, fence + 3) }])
  if (head === undefined) return made({}, [])
  const at: Locate = (range) => lines.at(head.offset + (range?.[0] ?? 0), head.offset + (range?.[1] ?? 1))
  const { isMap, isScalar, parseDocument } = loadYaml()
  const document = parseDocument(head.yaml, { prettyErrors: false, stringKeys: true })
  const { contents, errors, warnings } = document
  // A warning is about a tag that this reader does not know: what it stands for would be lost.
  const problems = [...errors, ...warnings].map(({ message, pos }) => ({ message, at: at(pos) }))
  if (problems.length > 0) return made({}, problems)
  if (contents === null || (isScalar(contents) && contents.value === null)) return made({}, [])
  if (!isMap(contents)) return made({}, [{ message: 'the frontmatter is no list of keys', at: at(contents.range) }])
  try {
    const values: Record<string, unknown> = document.toJS()
    const given = Object.entries(values).filter(([, value]) => value !== null)
    return made(Object.fromEntries(given), [], propertiesOf(contents, at, 3))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return made({}, [{ message, at: at(contents.range) }])
  }
}

function propertiesOf(map: YAMLMap, at: Locate, depth: number): Map<string, PropertyShape> {
  const { isMap, isNode, isScalar } = loadYaml()
  const found = new Map<string, PropertyShape>()
  for (const { key, value } of map.items) {
    if (!isScalar(key)) continue
    const written = isNode(value) && !(isScalar(value) && value.value === null) ? value.range : key.range
    const properties = depth > 1 && isMap(value) ? propertiesOf(value, at, depth - 1) : NONE
    found.set(String(key.value), { key: at(key.range), value: at(written), isWrittenOut: true, properties })
  }
  return found
}

const require = createRequire(import.meta.url)

/** Loaded when the first frontmatter is read: most projects have none. */
function loadYaml(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml')
}
