import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { bundleEntry } from '../../test-support/bundle-entry.ts'
import { writeFiles } from '../../test-support/cli-project.ts'
import { emptyFolder } from '../../test-support/output.ts'
import type { Bundle } from './bundle.ts'

vi.setConfig({ testTimeout: 60_000 })

/** What the module `src/tool.ts` of a project exports as its default, in Node and in a bundle. */
async function both(files: Readonly<Record<string, string>>, manifest = '{"type":"module"}') {
  const root = emptyFolder()
  writeFiles(root, { 'package.json': manifest, ...files })
  symlinkSync(join(root, 'linked'), join(root, 'node_modules/cjslib'), 'dir')
  const made = await bundleEntry(root, "export { default as main } from 'retinue:file/src/tool.ts'\n")
  const node: unknown = ((await import(pathToFileURL(join(root, 'src/tool.ts')).href)) as { default: unknown }).default
  return { node, built: await ran(made), made }
}

async function ran({ files, reads }: Bundle): Promise<unknown> {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
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
