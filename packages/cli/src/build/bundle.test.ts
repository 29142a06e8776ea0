import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { cliProject, writeFiles } from '../../test-support/cli-project.ts'
import { emptyFolder } from '../../test-support/output.ts'
import { type Bundle, bundle } from './bundle.ts'

vi.setConfig({ testTimeout: 60_000 })

const CONFIG = 'src/retinue/agents/sup/config.ts'

/** What a project with one agent begins with, without what serves it. */
const ENTRY = `import config from './${CONFIG}'\nexport const main = () => config\n`

function manifest(fields: object): string {
  return JSON.stringify({ version: '1.2.3', ...fields })
}

const MODULE = { type: 'module', exports: { '.': { import: './index.js' } } }

/** Bundles a config that imports packages, which are installed as files. */
function bundled(imports: readonly string[], files: Readonly<Record<string, string>>): Promise<Bundle> {
  const root = emptyFolder()
  const lines = imports.map((name, at) => `import * as p${at} from '${name}'`)
  const used = imports.map((_, at) => `p${at}`).join(', ')
  const config = `${lines.join('\n')}\nexport default { all: [${used}] }\n`
  writeFiles(root, { 'package.json': '{"type":"module"}', [CONFIG]: config, ...files })
  return bundle({ root, entry: ENTRY, providers: [] })
}

const installed = (name: string, fields: object, files: Readonly<Record<string, string>>): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: manifest({ name, ...fields }),
  ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`node_modules/${name}/${path}`, text])),
})

function codeOf({ files }: Bundle): string {
  return [...files].flatMap(([name, text]) => (name.endsWith('.js') ? [String(text)] : [])).join('\n')
}

test('B11.13 bundled is what is nothing but modules; listed is what is native, CommonJS, or depends on such', async () => {
  const { dependencies, ...rest } = await bundled(['plain', 'common', 'native', 'above', 'platforms'], {
    ...installed('plain', { ...MODULE, dependencies: { deep: '*' } }, { 'index.js': "export * from 'deep'\n" }),
    ...installed('deep', MODULE, { 'index.js': "export const said = 'from deep'\n" }),
    ...installed('common', {}, { 'index.js': "exports.said = 'from common'\n" }),
    ...installed('native', { ...MODULE, gypfile: true }, { 'index.js': "export const said = 'from native'\n" }),
    ...installed('above', { ...MODULE, dependencies: { common: '*' } }, { 'index.js': "export * from 'common'\n" }),
    ...installed(
      'platforms',
      { ...MODULE, optionalDependencies: { '@p/linux-x64': '*' } },
      { 'index.js': "export const said = 'from platforms'\n" },
    ),
  })
  expect(dependencies).toEqual({ above: '1.2.3', common: '1.2.3', native: '1.2.3', platforms: '1.2.3' })
  const code = codeOf({ dependencies, ...rest })
  expect([code.includes('from deep'), code.includes('from common'), code.includes('from native')]).toEqual([
    true,
    false,
    false,
  ])
})

test('B11.13 a package that looks for files beside itself is listed', async () => {
  const reading =
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(new URL('./a.wasm', import.meta.url))\n"
  const { dependencies } = await bundled(['reads'], installed('reads', MODULE, { 'index.js': reading, 'a.wasm': 'x' }))
  expect(dependencies).toEqual({ reads: '1.2.3' })
})

test('B11.13 what only the running module knows is told with its line: imports, requires, and places of CommonJS', async () => {
  const config = `const name: string = 'a'
export const load = () => import(\`./\${name}.ts\`)
export const fixed = () => import('node:os')
export const where = import.meta.resolve('./a')
const __dirname = '/'
export default [__dirname, name] // import(name)
`
  const common = "exports.a = (name) => require('./' + name)\nexports.b = __dirname\nexports.c = require('node:os')\n"
  const root = emptyFolder()
  const entry =
    "import config from './src/retinue/config.ts'\nimport common from './lib/common.js'\nexport const main = [config, common]\n"
  writeFiles(root, {
    'package.json': '{"type":"module"}',
    'src/retinue/config.ts': config,
    'lib/package.json': '{}',
    'lib/common.js': common,
  })
  const { unfollowed } = await bundle({ root, entry, providers: [] })
  expect(unfollowed.map(({ file, line, what }) => `${file}:${line} ${what}`)).toEqual([
    "lib/common.js:1 require('./' + name)",
    'lib/common.js:2 __dirname',
    expect.stringContaining('src/retinue/config.ts:2 import(`./'),
    "src/retinue/config.ts:4 import.meta.resolve('./a')",
  ])
})

test('B11.13 a package that imports what only it knows is listed', async () => {
  const asking = 'export const load = (name) => import(name)\n'
  expect((await bundled(['asks'], installed('asks', MODULE, { 'index.js': asking }))).dependencies).toEqual({
    asks: '1.2.3',
  })
})

test('R22 a package under another name is listed as what it is', async () => {
  const files = {
    'node_modules/alias/package.json': manifest({ name: '@scope/real' }),
    'node_modules/alias/index.js': 'exports.a = 1\n',
  }
  expect((await bundled(['alias'], files)).dependencies).toEqual({ alias: 'npm:@scope/real@1.2.3' })
})

test('R22 packages that are linked from a store, as pnpm does, are found and listed as the others', async () => {
  const root = emptyFolder()
  const store = 'node_modules/.pnpm'
  writeFiles(root, {
    'package.json': '{"type":"module"}',
    [CONFIG]: "import * as plain from 'plain'\nimport * as common from 'common'\nexport default [plain, common]\n",
    [`${store}/plain@1.2.3/node_modules/plain/package.json`]: manifest({ name: 'plain', ...MODULE }),
    [`${store}/plain@1.2.3/node_modules/plain/index.js`]: "export const said = 'from plain'\n",
    [`${store}/common@1.2.3/node_modules/common/package.json`]: manifest({ name: 'common' }),
    [`${store}/common@1.2.3/node_modules/common/index.js`]: 'exports.a = 1\n',
  })
  for (const name of ['plain', 'common'])
    symlinkSync(join(root, store, `${name}@1.2.3/node_modules/${name}`), join(root, 'node_modules', name), 'dir')
  const made = await bundle({ root, entry: ENTRY, providers: [] })
  expect([made.dependencies, codeOf(made).includes('from plain')]).toEqual([{ common: '1.2.3' }, true])
})

test('R22 one package in two versions, where one must be listed, is a named error', async () => {
  const files = {
    ...installed('common', {}, { 'index.js': 'exports.a = 1\n' }),
    // A package of the workspace, with an installation of its own.
    'packages/linked/package.json': manifest({ name: 'linked', ...MODULE }),
    'packages/linked/index.js': "export * from 'common'\n",
    'packages/linked/node_modules/common/package.json': manifest({ name: 'common', version: '2.0.0' }),
    'packages/linked/node_modules/common/index.js': 'exports.a = 2\n',
    [`src/use.ts`]: "export * from '../packages/linked/index.js'\n",
  }
  await expect(bundled(['common', '../../../use'], files)).rejects.toMatchObject({ code: 'build-version-conflict' })
})

test('R22 a package that is linked in is bundled, and finds its files', async () => {
  const root = cliProject({})
  const linked = join(root, 'workspace/linked')
  writeFiles(linked, {
    'package.json': manifest({ name: '@my/linked', ...MODULE }),
    'index.js': "export const url = new URL('./data.txt', import.meta.url)\n",
    'data.txt': 'kept',
  })
  const app = join(root, 'workspace/app')
  writeFiles(app, { 'package.json': '{"type":"module"}', [CONFIG]: "export { url as default } from '@my/linked'\n" })
  writeFiles(app, { 'node_modules/@my/.keep': '' })
  symlinkSync(linked, join(app, 'node_modules/@my/linked'), 'dir')
  const { dependencies, reads, ...rest } = await bundle({ root: app, entry: ENTRY, providers: [] })
  expect(dependencies).toEqual({})
  expect([...reads]).toEqual([['node_modules/@my/linked/data.txt', join(linked, 'data.txt')]])
  expect(codeOf({ dependencies, reads, ...rest })).toContain('node_modules/%40my/linked/')
})
