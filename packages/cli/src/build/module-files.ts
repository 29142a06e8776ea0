import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ESTree } from 'rolldown/utils'
import { parseSync, Visitor } from 'rolldown/utils'
import { type CreatedRequires, createdRequires, type Edit } from './created-require.ts'
import { lineOf, SCRIPT_FIX, toldAt, type Unfollowed } from './unfollowed.ts'

/** A module that asks where it stands, rewritten, and what it finds from there. */
export interface PlacedModule {
  readonly code: string
  /** Files and folders that it names beside itself. */
  readonly reads: readonly Asked[]
  /** Modules that it starts in threads or processes of their own. */
  readonly workers: readonly Asked[]
  /** Scripts that it names otherwise, and that import: copied as they stand, they lack that. */
  readonly lacking: readonly Unfollowed[]
  /** Whether it asks in a way from which nobody can say what it reads. */
  readonly isOpen: boolean
}

/** A file or folder, and the line that names it. */
export interface Asked {
  /** Absolute. */
  readonly path: string
  readonly line: number
}

export interface PlaceOptions {
  /** Where the module stands now. */
  readonly file: string
  /** Its place below `files`. */
  readonly path: string
  /** What the chunk is called that begins with a module. */
  readonly chunkOf: (path: string) => string
}

/** What a module may ask of its place, and how that is said where only the path below `files` is known. */
const PLACES: ReadonlyMap<string, (path: string) => string> = new Map([
  ['url', (path: string) => `new URL(${JSON.stringify(encoded(path))}, FILES).href`],
  ['filename', (path: string) => toPath(encoded(path))],
  ['dirname', (path: string) => toPath(encoded(dirname(path)))],
])

/** Chunks stand in a folder beside that of the files. */
const FILES = `new URL('../files/', import.meta.url)`

const SCRIPT = /\.[mc]?[jt]s$/

const IMPORTS = /\bfrom\s*['"]|\bimport\s*[('"]|\brequire\s*\(/

function toPath(path: string): string {
  return `process.getBuiltinModule('node:url').fileURLToPath(new URL(${JSON.stringify(path)}, FILES))`
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/**
 * Lets a module that is bundled find its files where the build has put them: `import.meta.url`, `.filename` and `.dirname` tell its
 * place below `files`, and a worker is a chunk. No line moves, so that its source map stays true.
 */
export function placeModule(code: string, options: PlaceOptions): PlacedModule {
  const { program, module } = parseSync(options.file, code)
  const created = createdRequires(program)
  const asked = new AskedPlaces(code, options, created)
  asked.visit(program)
  const edits = [...created.edits, ...asked.edits]
  if (module.hasModuleSyntax && !DECLARES_REQUIRE.test(code)) edits.push(...typesOfRequire(program))
  const { reads, workers, lacking, isOpen } = asked
  return { code: edited(code, edits), reads, workers, lacking, isOpen }
}

/** What a module asks of its place, and the edits that let it find it. */
class AskedPlaces {
  readonly edits: Edit[] = []
  readonly reads: Asked[] = []
  readonly workers: Asked[] = []
  readonly lacking: Unfollowed[] = []
  #asked = 0
  #followed = 0
  readonly #code: string
  readonly #options: PlaceOptions
  readonly #created: CreatedRequires
  /** Nodes whose text is replaced as a whole. */
  readonly #taken = new Set<ESTree.Node>()

  constructor(code: string, options: PlaceOptions, created: CreatedRequires) {
    this.#code = code
    this.#options = options
    this.#created = created
  }

  get isOpen(): boolean {
    return this.#followed < this.#asked
  }

  visit(program: ESTree.Program): void {
    new Visitor({
      MemberExpression: (node) => {
        if (memberOfMeta(node) !== undefined) this.#taken.add(node.object)
        const place = placeAsked(node)
        if (place === undefined || this.#isReplaced(node)) return
        this.#asked++
        this.edits.push({ start: node.start, end: node.end, text: this.#said(place) })
      },
      MetaProperty: (node) => {
        // Handed on as a whole: it tells the place, and nobody can say what is read from there.
        if (!isImportMeta(node) || this.#isReplaced(node)) return
        this.#asked++
        const places = [...PLACES.keys()].map((place) => `${place}: ${this.#said(place)}`)
        this.edits.push({ start: node.start, end: node.end, text: `({ ...import.meta, ${places.join(', ')} })` })
      },
      NewExpression: (node) => {
        if (isNamed(node.callee, 'Worker')) this.#started(node.arguments[0])
        const path = this.#urlOf(node)
        if (path !== undefined && !this.#taken.has(node)) this.#read(path, node)
      },
      CallExpression: (node) => {
        const { callee, arguments: given } = node
        if (isNamed(callee, 'fork')) this.#started(given[0])
        if (this.#created.made.has(node) && !this.#isReplaced(node)) this.#followed++
        const [first, ...rest] = given
        const parts = rest.map(textOf)
        const isJoin = isNamed(callee, 'join') || isNamed(callee, 'resolve')
        if (!isJoin || first === undefined || placeAsked(first) !== 'dirname') return
        if (parts.length === 0 || !parts.every((part) => part !== undefined)) return
        this.#read(resolve(dirname(this.#options.file), ...parts), node)
      },
    }).visit(program)
  }

  /** How the bundled module says what it asks of its place. */
  #said(place: string): string {
    return PLACES.get(place)?.(this.#options.path).replaceAll('FILES', FILES) ?? ''
  }

  #isReplaced(node: ESTree.Node): boolean {
    return this.#taken.has(node) || this.#created.edits.some(({ start, end }) => start <= node.start && node.end <= end)
  }

  #read(path: string, node: ESTree.Node): void {
    // A folder that the module itself is in is where it looks for others from, and nobody can say for which.
    if (isWithin(path, this.#options.file)) return
    this.#followed++
    this.reads.push({ path, line: lineOf(this.#code, node.start) })
    if (SCRIPT.test(path) && existsSync(path) && IMPORTS.test(readFileSync(path, 'utf8')))
      this.lacking.push(toldAt(this.#code, node, SCRIPT_FIX))
  }

  /** `new Worker(new URL('./a.ts', import.meta.url))`, or the path of that URL. */
  #started(given: ESTree.Node | undefined): void {
    const url = given?.type === 'CallExpression' && isNamed(given.callee, 'fileURLToPath') ? given.arguments[0] : given
    const path = url === undefined ? undefined : this.#urlOf(url)
    if (url?.type !== 'NewExpression' || path === undefined || !SCRIPT.test(path) || !existsSync(path)) return
    const { start, end } = url
    this.#taken.add(url)
    for (const each of url.arguments) this.#taken.add(each)
    this.workers.push({ path, line: lineOf(this.#code, start) })
    const lines = this.#code.slice(start, end).replace(/[^\n]/g, '')
    const text = `new URL(${JSON.stringify(`./${this.#options.chunkOf(path)}`)},${lines} import.meta.url)`
    this.edits.push({ start, end, text })
  }

  /** The path that `new URL('./a', import.meta.url)` means. */
  #urlOf(node: ESTree.Node): string | undefined {
    if (node.type !== 'NewExpression' || !isNamed(node.callee, 'URL')) return undefined
    const [given, base] = node.arguments
    const text = textOf(given)
    if (text === undefined || base === undefined || placeAsked(base) !== 'url') return undefined
    const url = new URL(text, pathToFileURL(this.#options.file))
    return url.protocol === 'file:' ? fileURLToPath(url).replace(/[\\/]$/, '') : undefined
  }
}

const DECLARES_REQUIRE = /\b(?:const|let|var|function|as|import)\s+require\b/

/** An ES module has no `require`, and some ask so what they are; a bundle of both kinds has one. */
function typesOfRequire(program: ESTree.Program): readonly Edit[] {
  const edits: Edit[] = []
  new Visitor({
    UnaryExpression({ operator, argument, start, end }) {
      if (operator === 'typeof' && argument.type === 'Identifier' && argument.name === 'require')
        edits.push({ start, end, text: '"undefined"' })
    },
  }).visit(program)
  return edits
}

function placeAsked(node: ESTree.Node): string | undefined {
  const name = memberOfMeta(node)
  return name !== undefined && PLACES.has(name) ? name : undefined
}

/** `url` of `import.meta.url`, or of `import.meta['url']`. */
function memberOfMeta(node: ESTree.Node): string | undefined {
  if (node.type !== 'MemberExpression' || !isImportMeta(node.object)) return undefined
  const { property, computed } = node
  if (computed) return textOf(property)
  return property.type === 'Identifier' ? property.name : undefined
}

function isImportMeta(node: ESTree.Node): boolean {
  return node.type === 'MetaProperty' && node.meta.name === 'import'
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

function edited(code: string, edits: readonly Edit[]): string {
  let text = code
  for (const { start, end, text: by } of [...edits].sort((a, b) => b.start - a.start)) {
    text = text.slice(0, start) + by + text.slice(end)
  }
  return text
}
