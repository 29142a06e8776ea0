import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { bundleEntry } from '../../test-support/bundle-entry.ts'
import { writeFiles } from '../../test-support/cli-project.ts'
import { emptyFolder } from '../../test-support/output.ts'
import type { Bundle } from './bundle.ts'

vi.setConfig({ testTimeout: 60_000 })

const MAIN = "export { default as main } from 'retinue:file/src/tool.ts'\n"

/** Packages that are folders of the project, by what they are imported as. */
const LINKED = { cjslib: 'linked', near: 'packages/near' }

/** What the module `src/tool.ts` of a project exports as its default, in Node and in a bundle. */
async function both(files: Readonly<Record<string, string>>, manifest = '{"type":"module"}') {
  const root = emptyFolder()
  writeFiles(root, { 'package.json': manifest, ...files })
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  for (const [link, to] of Object.entries(LINKED))
    if (existsSync(join(root, to))) symlinkSync(join(root, to), join(root, 'node_modules', link), 'dir')
  const made = await bundleEntry(root, MAIN)
  const node: unknown = ((await import(pathToFileURL(join(root, 'src/tool.ts')).href)) as { default: unknown }).default
  return { node, built: await ran(made), made }
}

async function ran({ files, reads }: Bundle, copied: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const folder = emptyFolder()
  writeFiles(folder, { 'package.json': '{"type":"module"}', ...copied })
  for (const [name, content] of files) writeFiles(join(folder, 'app'), { [name]: String(content) })
  expect([...reads]).toEqual([])
  return ((await import(pathToFileURL(join(folder, 'app/application.js')).href)) as { main: unknown }).main
}

const COMMON = `Object.defineProperty(exports, '__esModule', { value: true })
exports.default = function greet(name) { return 'hello ' + name }
exports.named = typeof require
exports.cond = require('cond').v
`

const FILES = {
  'node_modules/cond/package.json': JSON.stringify({
    name: 'cond',
    version: '1.0.0',
    type: 'module',
    main: './main.js',
    module: './module.js',
    exports: { '.': { 'module-sync': './sync.js', import: './import.js' }, './main': null },
  }),
  'node_modules/cond/sync.js': "export const v = 'sync'\n",
  'node_modules/cond/import.js': "export const v = 'import'\n",
  'node_modules/fields/package.json': '{"name":"fields","version":"1.0.0","type":"module","module":"module.mjs"}',
  'node_modules/fields/index.js': "export const v = 'index'\n",
  'node_modules/fields/module.mjs': "export const v = 'module'\n",
  'linked/package.json': '{"name":"cjslib","version":"1.0.0"}',
  'linked/index.js': COMMON.replace("exports.cond = require('cond').v\n", ''),
  'lib/near.cjs': COMMON,
  'lib/count.ts': 'export const counted: object = {}\n',
  'lib/data.json': '{"said":"data"}',
  'lib/asks.ts': 'export const asked: string = typeof require\n',
  'lib/other.ts': `import { createRequire as make } from 'node:module'
import * as nodeModule from 'node:module'
const require = nodeModule.createRequire(import.meta.url)
const load = nodeModule.createRequire(import.meta.filename)
const named = { require: 'a name' }
export const other = [typeof require, require('./data.json').said, load('./near.cjs').named, named.require, typeof make]
`,
  'src/job.ts': `import { parentPort } from 'node:worker_threads'
import { asked } from '../lib/asks.ts'
parentPort?.postMessage('from a worker: ' + asked)
`,
  'src/tool.ts': `import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { v } from 'cond'
import lib from 'cjslib'
import { v as field } from 'fields'
import { asked } from '../lib/asks.ts'
import { counted } from '../lib/count.ts'
import { counted as again } from '../lib/count.ts?1'
import { counted as third } from '../lib/count.ts#2'
import near, { named } from '../lib/near.cjs'
import { other } from '../lib/other.ts'

const late = await import('../lib/near.cjs')
export default {
  lib: [typeof lib, lib.default('all'), lib.named],
  near: [typeof near, near.default('near'), near.cond, named, typeof late.default],
  packages: [v, field],
  asked,
  same: [counted === again, again === third],
  data: createRequire(import.meta.url)('../lib/data.json').said,
  other,
  job: await new Promise((resolve) => new Worker(new URL('./job.ts', import.meta.url)).once('message', resolve)),
}
`,
}

test('B11.13 R22 what an import means is the same as in Node: CommonJS, conditions, queries, created requires', async () => {
  for (const manifest of ['{"type":"module"}', '{}']) {
    const { node, built, made } = await both(FILES, manifest)
    expect(built).toEqual(node)
    expect(node).toMatchObject({
      lib: ['object', 'hello all', 'function'],
      packages: ['sync', 'index'],
      job: 'from a worker: undefined',
    })
    expect([made.unfollowed, made.open]).toEqual([[], []])
  }
})

test('B11.13 a module that hands on its import.meta finds its files, and is told where nobody can say which', async () => {
  const files = {
    'src/tool.ts': `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
const { dirname } = import.meta
const meta = import.meta
const name: 'filename' | 'url' = 'filename'
const read = (place: string | URL): string => readFileSync(place, 'utf8')
class Made {
  static url = 'of a class'
  said: string
  constructor() {
    this.said = new.target.url
  }
}
export default [
  read(join(dirname, 'data/a.txt')),
  read(new URL('./data/a.txt', meta.url)),
  read(\`\${import.meta['dirname']}/data/a.txt\`),
  read(join(import.meta[name], '../data/a.txt')),
  read(join(import.meta['dirname'], 'data/followed.txt')),
  typeof meta.resolve,
  new Made().said,
]
`,
    'src/data/a.txt': 'found',
    'src/data/followed.txt': 'followed',
  }
  const root = emptyFolder()
  writeFiles(root, { 'package.json': '{"type":"module"}', ...files })
  const made = await bundleEntry(root, MAIN)
  expect([made.open, [...made.reads.keys()]]).toEqual([['src/tool.ts'], ['src/data/followed.txt']])
  // As if package.json had named them.
  const included = { 'files/src/data/a.txt': 'found', 'files/src/data/followed.txt': 'followed' }
  const built = await ran({ ...made, reads: new Map() }, included)
  expect(built).toEqual([...Array<string>(4).fill('found'), 'followed', 'function', 'of a class'])
})

test('B11.13 what a created require is asked that nobody can follow is told with its line', async () => {
  const root = emptyFolder()
  const tool = `import { createRequire } from 'node:module'
const load = createRequire(import.meta.url)
export const a = (name: string) => load('./' + name)
export const b = load.resolve('./a.cjs')
export const c = [1].map(load)
const also = createRequire(import.meta.url)
export const d = (also: (name: string) => number) => also('./a.cjs')
export default createRequire(import.meta.url)(process.argv[9] ?? './a.cjs')
`
  writeFiles(root, { 'package.json': '{"type":"module"}', 'src/tool.ts': tool, 'src/a.cjs': 'module.exports = 1\n' })
  const { unfollowed, open } = await bundleEntry(root, "export * from 'retinue:file/src/tool.ts'\n")
  expect(unfollowed.map(({ line, what }) => `${line} ${what}`)).toEqual([
    "3 load('./' + name)",
    "4 load.resolve('./a.cjs')",
    '5 load',
    "7 also('./a.cjs')",
    "8 createRequire(import.meta.url)(process.argv[9] ?? './a.cjs')",
  ])
  expect(open).toEqual([])
})

/** A module that sets something, before one that reads it as it is loaded; `tool` makes chunks that share the reader. */
const ORDERED = {
  'src/setup.ts': "Object.assign(globalThis, { setForBuild: 'set' })\n",
  'src/reader.ts': "export const read: unknown = Reflect.get(globalThis, 'setForBuild') ?? 'too early'\n",
  'src/lazy.ts': "import { read } from './reader.ts'\nexport const lazy: string = 'late: ' + String(read)\n",
  'src/job.ts': "import { read } from './reader.ts'\nprocess.send?.(read)\n",
}

function ordered(...lines: readonly string[]): Record<string, string> {
  const tool = ["import './setup.ts'", "import { read } from './reader.ts'", ...lines]
  return { ...ORDERED, 'src/tool.ts': `${tool.join('\n')}\n` }
}

test('B11.13 modules run in the order of their imports, whatever an import() or a worker shares with them', async () => {
  const forget = (): boolean => Reflect.deleteProperty(globalThis, 'setForBuild')
  const later = ordered("export default [read, (await import('./lazy.ts')).lazy]")
  const job = "new Worker(new URL('./job.ts', import.meta.url))"
  const worker = ordered("import { Worker } from 'node:worker_threads'", `export default [read, () => ${job}]`)
  for (const [files, expected] of [
    [later, ['set', 'late: set']],
    [worker, ['set', expect.any(Function)]],
  ] as const) {
    const root = emptyFolder()
    writeFiles(root, { 'package.json': '{"type":"module"}', ...files })
    forget()
    const made = await bundleEntry(root, MAIN)
    expect([await ran(made), made.unordered]).toEqual([expected, []])
  }
  forget()
})

test('B11.13 a listed package runs before the modules of the project, and after what is loaded before the output', async () => {
  const common = {
    'node_modules/common/package.json': '{"name":"common","version":"1.0.0"}',
    'node_modules/common/index.js': "module.exports = globalThis.setForBuild ?? 'too early'\n",
  }
  const root = emptyFolder()
  const tool = "import './setup.ts'\nimport read from 'common'\nexport default read\n"
  writeFiles(root, { 'package.json': '{"type":"module"}', ...common, ...ORDERED, 'src/tool.ts': tool })
  const { files, dependencies } = await bundleEntry(root, MAIN)
  expect(dependencies).toEqual({ common: '1.0.0' })
  const folder = emptyFolder()
  const shown = "import { main } from './app/application.js'\nconsole.log(main)\n"
  writeFiles(folder, { ...common, 'package.json': '{"type":"module","main":"index.js"}', 'index.js': shown })
  for (const [name, content] of files) writeFiles(join(folder, 'app'), { [name]: String(content) })
  writeFiles(root, { 'prepare.js': "globalThis.setForBuild = 'set'\n" })
  const run = (...args: string[]): string =>
    spawnSync(process.execPath, [...args, folder], { cwd: root, encoding: 'utf8' }).stdout
  expect([run(), run('--import', './prepare.js')]).toEqual(['too early\n', 'set\n'])
})

test('B11.13 modules that import each other, and wait for one that awaits, do not wait for ever', async () => {
  const { node, built, made } = await both({
    'src/slow.ts': 'export const slow: string = await new Promise((resolve) => setImmediate(resolve, "slow"))\n',
    'src/one.ts': `import { slow } from './slow.ts'
import { two } from './two.ts'
export function one(): string { return slow + two() }
`,
    'src/two.ts': "import { one } from './one.ts'\nexport function two(): string { return typeof one }\n",
    'src/late.ts': 'export default 1\n',
    'src/tool.ts': "import { one } from './one.ts'\nexport default [one(), (await import('./late.ts')).default]\n",
  })
  expect(built).toEqual(node)
  expect(node).toEqual(['slowfunction', 1])
  expect(made.unordered).toEqual(['src/one.ts', 'src/two.ts'])
})

test('B11.13 R22 a specifier means in each folder what Node finds from there, versions or not', async () => {
  const nested = (folder: string, said: string): Record<string, string> => ({
    [`${folder}/node_modules/dep/package.json`]: `{"type":"module","name":"dep","version":"1.0.0","exports":"./index.js"}`,
    [`${folder}/node_modules/dep/index.js`]: `export default '${said}'\n`,
  })
  const own = '"type":"module","imports":{"#own":"./own.ts"}'
  const asks = "import own from '#own'\nimport dep from 'dep'\n"
  const { node, built } = await both(
    {
      'own.ts': "export default 'own of the project'\n",
      'packages/near/package.json': `{${own},"exports":"./index.ts"}`,
      'packages/near/own.ts': "export default 'own of near'\n",
      'packages/near/index.ts': `${asks}export const near: string[] = [own, dep]\n`,
      'src/deep/index.ts': "import dep from 'dep'\nexport const deep: string = dep\n",
      'src/tool.ts': `${asks}import { near } from 'near'\nimport { deep } from './deep/index.ts'\nexport default [own, dep, near, deep]\n`,
      ...nested('.', 'of the project'),
      ...nested('packages/near', 'of near'),
      ...nested('src/deep', 'of a folder'),
    },
    `{${own}}`,
  )
  expect(built).toEqual(node)
  expect(node).toEqual(['own of the project', 'of the project', ['own of near', 'of near'], 'of a folder'])
})

test('B11.13 whatever is imported runs, and package.json need not say that it does something', async () => {
  const files = {
    'node_modules/effect/package.json':
      '{"name":"effect","version":"1.0.0","type":"module","exports":"./index.js","sideEffects":false}',
    'node_modules/effect/index.js': "globalThis.ranForBuild = 'package'\nexport const unused = 1\n",
    'src/setup.ts': "Object.assign(globalThis, { setForBuild: 'project' })\n",
    'src/tool.ts': `import './setup.ts'
import 'effect'
export default ['setForBuild', 'ranForBuild'].map((name) => [Reflect.get(globalThis, name), Reflect.deleteProperty(globalThis, name)][0])
`,
  }
  const { node, built } = await both(files, '{"type":"module","sideEffects":false}')
  expect(built).toEqual(node)
  expect(node).toEqual(['project', 'package'])
})
