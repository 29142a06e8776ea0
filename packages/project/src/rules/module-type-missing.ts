import { slotModules } from '../discover/agent-dir.ts'
import { LineIndex } from '../discover/line-index.ts'
import { readText } from '../tree/read-text.ts'
import { joinPath, parentPath, type SourceTree } from '../tree/source-tree.ts'
import type { Place, Rule } from './rule.ts'

/** A package.json that says whether `.ts` and `.js` files are ES modules. */
interface Manifest {
  readonly file: string
  /** `undefined` if it is not in the tree. */
  readonly text: string | undefined
  readonly type: unknown
}

/** Node, and whoever bundles, reads `.ts` and `.js` as the nearest package.json says. */
export const moduleTypeMissing: Rule = {
  code: 'module-type-missing',
  severity: 'warning',
  why: 'without it Node guesses what kind of module each file is, and a bundle of the agents comes out as CommonJS',
  *check({ discovered, plans }) {
    const slots = [...discovered.shared, ...plans.flatMap(({ agent }) => slotModules(agent))]
    const files = slots.map(({ file }) => file)
    const folders = new Set(files.filter((file) => /\.[jt]s$/.test(file)).map(parentPath))
    const manifests = new Manifests(discovered.tree)
    for (const manifest of new Set([...folders].map((folder) => manifests.nearest(folder)))) {
      if (manifest === undefined || manifest.type === 'module') continue
      yield {
        message: `"${manifest.file}" ${problemOf(manifest)}`,
        place: placeOf(manifest),
        agentPath: [],
        fix: `write "type": "module" into "${manifest.file}"`,
      }
    }
  },
}

function problemOf({ text, type }: Manifest): string {
  if (text === undefined) return 'is not there, so nothing says that the modules are ES modules'
  return type === undefined ? 'has no "type": "module"' : `says "type": ${JSON.stringify(type)}, not "module"`
}

/** Finds the nearest manifest of a folder, each one read once. */
class Manifests {
  readonly #tree: SourceTree
  readonly #nearest = new Map<string, Manifest | undefined>()

  constructor(tree: SourceTree) {
    this.#tree = tree
  }

  nearest(folder: string): Manifest | undefined {
    if (this.#nearest.has(folder)) return this.#nearest.get(folder)
    const file = joinPath(folder, 'package.json')
    const isHere = this.#tree.kindOf(file) === 'file'
    const found = isHere ? this.#read(file) : folder === '' ? this.#above() : this.nearest(parentPath(folder))
    this.#nearest.set(folder, found)
    return found
  }

  #read(file: string): Manifest | undefined {
    const read = readText(this.#tree, file)
    const type = read.ok ? typeOf(read.text) : undefined
    return read.ok && type !== undefined ? { file, text: read.text, type: type.value } : undefined
  }

  /** The one above the root stands for the root's own, which is missing if there is none at all. */
  #above(): Manifest | undefined {
    const { surroundings } = this.#tree
    if (surroundings === undefined) return undefined
    const above = surroundings.manifestAbove()
    const type = above === undefined ? { value: undefined } : typeOf(above)
    return type === undefined ? undefined : { file: 'package.json', text: undefined, type: type.value }
  }
}

/** `undefined` for what is no JSON object: Node itself says what is wrong with it. */
function typeOf(text: string): { readonly value: unknown } | undefined {
  try {
    const manifest: unknown = JSON.parse(text)
    if (typeof manifest !== 'object' || manifest === null) return undefined
    return { value: 'type' in manifest ? manifest.type : undefined }
  } catch {
    return undefined
  }
}

function placeOf({ file, text, type }: Manifest): Place {
  if (text === undefined) return { file }
  const written = typeof type === 'string' ? JSON.stringify(type) : ''
  const found = written === '' ? -1 : text.search(new RegExp(`(?<="type"\\s*:\\s*)${written}`))
  const start = Math.max(0, found === -1 ? text.indexOf('{') : found)
  return { file, at: new LineIndex(text).at(start, start + Math.max(1, found === -1 ? 1 : written.length)) }
}
