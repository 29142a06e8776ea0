import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Plugin } from 'rolldown'
import { RUNTIME_MODULE_ID } from 'rolldown'

/** How modules find packages, beside the bundler's own `import`, `require` and `default`. */
const NODE_CONDITIONS = ['node', 'node-addons', 'module-sync']

/** The bundler's helper that makes an ES module of what CommonJS exports, where it asks who imports it. */
const ASKS_IMPORTER = /\bisNodeMode \|\|/

/** The conditions under which this process finds packages: a build finds the same. */
export function nodeConditions(options: readonly string[] = process.execArgv): string[] {
  const given = options.flatMap((option, at) => {
    const value = /^(?:-C|--conditions)=(.+)$/.exec(option)?.[1]
    if (value !== undefined) return [value]
    return option === '-C' || option === '--conditions' ? (options[at + 1] ?? []) : []
  })
  return [...given, ...NODE_CONDITIONS]
}

/**
 * What imports mean in Node, where the bundler sees it otherwise: the default of CommonJS is all of `module.exports`, whoever imports it;
 * and one file under two queries is two modules. `files` gets the file of each such module, by the bundler's name of it.
 */
export function asNode(files: Map<string, string>): Plugin {
  return {
    name: 'retinue:as-node',
    resolveId: {
      filter: { id: /^\.{1,2}\/.*[?#]/ },
      async handler(id, importer, options) {
        const [, path = '', query = ''] = /^([^?#]*)(.*)$/.exec(id) ?? []
        const found = await this.resolve(path, importer, { ...options, skipSelf: true })
        if (found === null || found.external) return found
        files.set(found.id + query, found.id)
        return { ...found, id: found.id + query }
      },
    },
    load: {
      filter: { id: /[?#]/ },
      handler(id) {
        const file = files.get(id)
        return file === undefined ? null : { code: readFileSync(file, 'utf8'), moduleType: moduleTypeOf(file) }
      },
    },
    transform: {
      filter: { id: new RegExp(`^${RUNTIME_MODULE_ID.replace('.', '\\.')}$`) },
      handler(code) {
        if (!ASKS_IMPORTER.test(code)) throw new Error('the bundler has another helper for CommonJS than was known')
        return { code: code.replace(ASKS_IMPORTER, 'true ||'), map: null }
      },
    },
  }
}

function moduleTypeOf(file: string): 'json' | 'ts' | 'js' {
  const extension = extname(file)
  if (extension === '.json') return 'json'
  return extension.endsWith('ts') ? 'ts' : 'js'
}
