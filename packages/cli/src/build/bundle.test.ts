import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { bundleEntry } from '../../test-support/bundle-entry.ts'
import { cliProject, writeFiles } from '../../test-support/cli-project.ts'
import { emptyFolder } from '../../test-support/output.ts'
import type { Bundle } from './bundle.ts'
import { includedFiles } from './included-files.ts'
import { InstalledFrom, localPath, movedFile } from './installed-from.ts'
import { BROUGHT_ALONG } from './packages.ts'

vi.setConfig({ testTimeout: 60_000 })

const CONFIG = 'src/retinue/agents/sup/config.ts'

/** What a project with one agent begins with, without what serves it. */
const ENTRY = `import config from 'retinue:file/${CONFIG}'\nexport const main = () => config\n`

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
  return bundleEntry(root, ENTRY)
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
    "import config from 'retinue:file/src/retinue/config.ts'\nimport common from 'retinue:file/lib/common.js'\nexport const main = [config, common]\n"
  writeFiles(root, {
    'package.json': '{"type":"module"}',
    'src/retinue/config.ts': config,
    'lib/package.json': '{}',
    'lib/common.js': common,
  })
  const { unfollowed } = await bundleEntry(root, entry)
  expect(unfollowed.map(({ file, line, what }) => `${file}:${line} ${what}`)).toEqual([
    "lib/common.js:1 require('./' + name)",
    'lib/common.js:2 __dirname',
    expect.stringContaining('src/retinue/config.ts:2 import(`./'),
    "src/retinue/config.ts:4 import.meta.resolve('./a')",
  ])
})

/** Ways to ask for what only the running module knows: nothing else in a module need say that it does. */
const ASKED = [
  'import(name)',
  'import((name))',
  "import('./parts/' + name)",
  'import("./parts/" + name + ".js")',
  "import(\n  './parts/'\n    + name)",
  `import(\`./parts/\${name}.js\`)`,
  "import('./parts/'.concat(name))",
  "import(/* why */ './parts/' + name)",
]

test.each(ASKED)('B11.13 it is told where %s is all that a module asks', async (asked) => {
  const root = emptyFolder()
  const text = `export default (name: string) => ${asked}\n`
  writeFiles(root, { 'package.json': '{"type":"module"}', 'src/tool.ts': text })
  const { unfollowed } = await bundleEntry(root, "export * from 'retinue:file/src/tool.ts'\n")
  expect(unfollowed).toMatchObject([{ file: 'src/tool.ts', line: 1, what: asked.replace(/\s+/g, ' ') }])
})

test.each(ASKED)('B11.13 a package in which %s is all that it asks is listed', async (asked) => {
  const index = `export const load = (name) => ${asked}\n`
  expect((await bundled(['asks'], installed('asks', MODULE, { 'index.js': index }))).dependencies).toEqual({
    asks: '1.2.3',
  })
})

test.each(['require(name)', "require('./' + name)", 'require("./".concat(name))', `require(\`./\${name}\`)`])(
  'B11.13 a CommonJS package in which %s is all that it asks is listed',
  async (asked) => {
    const files = installed('asks', { main: 'index.js' }, { 'index.js': `exports.load = (name) => ${asked}\n` })
    expect((await bundled(['asks'], files)).dependencies).toEqual({ asks: '1.2.3' })
  },
)

test('B11.13 what is named by a text alone is followed, and not told', async () => {
  const root = emptyFolder()
  const text = `export const all = [import('./a.ts'), import("./a.ts"), import(/* why */ './a.ts'), import(\`./a.ts\`), import('./a.ts',)]\n`
  writeFiles(root, { 'package.json': '{"type":"module"}', 'src/tool.ts': text, 'src/a.ts': 'export const a = 1\n' })
  const { unfollowed } = await bundleEntry(root, "export * from 'retinue:file/src/tool.ts'\n")
  expect(unfollowed).toEqual([])
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
  const made = await bundleEntry(root, ENTRY)
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

test('B11.13 R22 what came from no registry is listed as where it came from', async () => {
  const registry = { version: '1.2.3', resolved: 'https://registry.example/reg/-/reg-1.2.3.tgz' }
  const packages = {
    'node_modules/reg': registry,
    'node_modules/silent': { version: '1.2.3' },
    'node_modules/ball': { version: '1.2.3', resolved: 'file:vendor/ball-1.2.3.tgz' },
    'node_modules/@my/git': { version: '1.2.3', resolved: 'git+ssh://git@example.com/my/git.git#0123abc' },
    'node_modules/away': { version: '1.2.3', resolved: 'https://example.com/away.tgz' },
  }
  const names = ['reg', 'silent', 'ball', '@my/git', 'away']
  const files = Object.assign({}, ...names.map((name) => installed(name, {}, { 'index.js': 'exports.a = 1\n' })))
  const remembered = { 'node_modules/.package-lock.json': JSON.stringify({ packages }) }
  expect((await bundled(names, { ...files, ...remembered })).dependencies).toEqual({
    reg: '1.2.3',
    silent: '1.2.3',
    ball: 'file:vendor/ball-1.2.3.tgz',
    '@my/git': 'git+ssh://git@example.com/my/git.git#0123abc',
    away: 'https://example.com/away.tgz',
  })
  expect((await bundled(names, { ...files, 'node_modules/.package-lock.json': '{' })).dependencies).toMatchObject({
    ball: '1.2.3',
  })
  // One that stands in a monorepo, whose packages are installed above it.
  const above = emptyFolder()
  writeFiles(above, remembered)
  const inside = new InstalledFrom().source(join(above, 'node_modules/ball'), join(above, 'packages/app'))
  expect(inside).toBe('file:../../vendor/ball-1.2.3.tgz')
  expect(movedFile('file:vendor/a.tgz', '/project', '/project/.retinue/output')).toBe('file:../../vendor/a.tgz')
  expect(movedFile('1.2.3', '/project', '/elsewhere')).toBe('1.2.3')
})

/** A module that finds its package only where that is installed. */
const READING =
  "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(new URL('./package.json', import.meta.url))\n"

test('R17 R22 no credentials of URLs are listed; a user of SSH is, and the version of what a registry has', async () => {
  const resolved = {
    token: 'git+https://ci:ghp_c4n4ry@example.com/o/v.git#0123abc',
    user: 'git+https://c4n4ry@example.com/o/v.git#0123abc',
    at: 'https://me:c4n4ry@c4n4ry@example.com/@o/v.tgz',
    plain: 'http://c4n4ry:@example.com:8080/v.tgz?a@b',
    ssh: 'git+ssh://git:c4n4ry@example.com/o/v.git#0123abc',
    key: 'git+ssh://git@example.com:22/o/v.git#0123abc',
    scoped: 'https://example.com/@o/v.tgz',
    reg: 'https://me:c4n4ry@registry.example/reg/-/reg-1.2.3.tgz',
    github: 'https://npm.pkg.github.com/download/@o/vend/1.2.3/0123abcd',
    release: 'https://example.com/o/v/releases/download/v1/0123abcd',
    gitlab: 'https://example.com/api/v4/projects/1/packages/npm/@o/v/-/@o/v-1.2.3.tgz',
    archive: 'https://example.com/o/v/-/archive/v1/v-v1.tar.gz',
  }
  const names = Object.keys(resolved)
  const entries = Object.entries(resolved).map(([name, from]) => [`node_modules/${name}`, { resolved: from }])
  const files = Object.assign({}, ...names.map((name) => installed(name, {}, { 'index.js': 'exports.a = 1\n' })))
  const remembered = JSON.stringify({ packages: Object.fromEntries(entries) })
  const { dependencies } = await bundled(names, { ...files, 'node_modules/.package-lock.json': remembered })
  expect(dependencies).toEqual({
    token: 'git+https://example.com/o/v.git#0123abc',
    user: 'git+https://example.com/o/v.git#0123abc',
    at: 'https://example.com/@o/v.tgz',
    plain: 'http://example.com:8080/v.tgz?a@b',
    ssh: 'git+ssh://git@example.com/o/v.git#0123abc',
    key: resolved.key,
    scoped: resolved.scoped,
    reg: '1.2.3',
    github: '1.2.3',
    release: resolved.release,
    gitlab: '1.2.3',
    archive: resolved.archive,
  })
})

test('B11.13 R22 what is installed from this machine is known', () => {
  const sources = ['file:../a b.tgz', 'git+file:///srv/v.git#0123abc', '1.2.3', 'git+ssh://git@example.com/file:v.git']
  expect(sources.map(localPath)).toEqual(['../a b.tgz', '/srv/v.git', undefined, undefined])
})

test('B11.13 what a listed package imports is listed, too, through others and as a peer: it is there once', async () => {
  const files = {
    ...installed('plug', { ...MODULE, peerDependencies: { reg: '1' } }, { 'index.js': `import 'reg'\n${READING}` }),
    ...installed('reg', { ...MODULE, dependencies: { below: '1' } }, { 'index.js': "export * from 'below'\n" }),
    ...installed('below', MODULE, { 'index.js': 'export const all = []\n' }),
    ...installed('alone', { ...MODULE, dependencies: { plug: '1' } }, { 'index.js': 'export const a = 1\n' }),
  }
  expect((await bundled(['below', 'reg', 'plug', 'alone'], files)).dependencies).toEqual({
    below: '1.2.3',
    plug: '1.2.3',
    reg: '1.2.3',
  })
  expect((await bundled(['below', 'plug'], files)).dependencies).toEqual({ below: '1.2.3', plug: '1.2.3' })
  expect((await bundled(['below', 'reg', 'alone'], files)).dependencies).toEqual({})
})

test('B11.13 of core, and of what providers of models import, a bundle has its own', async () => {
  const files = {
    ...installed('plug', { ...MODULE, dependencies: { '@retinue/core': '1' } }, { 'index.js': READING }),
    ...installed('@ai-sdk/openai', { ...MODULE, dependencies: { zod: '1' } }, { 'index.js': "import 'zod'\n" }),
    ...installed('@retinue/core', { ...MODULE, dependencies: { zod: '1' } }, { 'index.js': 'export const a = 1\n' }),
    ...installed('zod', MODULE, { 'index.js': 'export const a = 1\n' }),
  }
  expect((await bundled(['plug', '@retinue/core', 'zod', '@ai-sdk/openai'], files)).dependencies).toEqual({
    plug: '1.2.3',
    '@ai-sdk/openai': '1.2.3',
  })
})

test('R22 a package with a version of its own of one that must be listed is listed itself, in any order', async () => {
  const files = {
    ...installed('common', MODULE, { 'index.js': READING }),
    ...installed('above', { ...MODULE, dependencies: { common: '2' } }, { 'index.js': "export * from 'common'\n" }),
    'node_modules/above/node_modules/common/package.json': manifest({ name: 'common', ...MODULE, version: '2.0.0' }),
    'node_modules/above/node_modules/common/index.js': READING,
  }
  for (const imports of [
    ['above', 'common'],
    ['common', 'above'],
  ])
    expect((await bundled(imports, files)).dependencies).toEqual({ above: '1.2.3', common: '1.2.3' })
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
  const { dependencies, reads, ...rest } = await bundleEntry(app, ENTRY)
  expect(dependencies).toEqual({})
  const by = 'node_modules/@my/linked/index.js:1'
  expect([...reads]).toEqual([['node_modules/@my/linked/data.txt', { from: join(linked, 'data.txt'), by }]])
  expect(codeOf({ dependencies, reads, ...rest })).toContain('node_modules/%40my/linked/')
})

/** A project whose tool is of these lines, with other files. */
function withTool(
  lines: readonly string[],
  files: Readonly<Record<string, string>>,
  root = emptyFolder(),
): Promise<Bundle> {
  writeFiles(root, { 'package.json': '{"type":"module"}', 'src/tool.ts': `${lines.join('\n')}\n`, ...files })
  return bundleEntry(root, "export * from 'retinue:file/src/tool.ts'\n")
}

test('B11.13 a worker is bundled with what it imports; another script that is copied is told, if it lacks something', async () => {
  const lines = [
    "import { fork } from 'node:child_process'",
    "import { fileURLToPath } from 'node:url'",
    "import { Worker } from 'node:worker_threads'",
    'export const start = () => new Worker(new URL(',
    "  '../jobs/a.ts', import.meta.url))",
    "export const other = () => fork(fileURLToPath(new URL('../jobs/b.ts', import.meta.url)))",
    "export const url = new URL('../jobs/c.ts', import.meta.url)",
    "export const alone = new URL('../jobs/alone.ts', import.meta.url)",
  ]
  const job = "import { value } from './value.ts'\nconsole.log(value)\n"
  const made = await withTool(lines, {
    'jobs/a.ts': job,
    'jobs/b.ts': job,
    'jobs/c.ts': job,
    'jobs/alone.ts': 'console.log(1)\n',
    'jobs/value.ts': "export const value: string = 'from value'\n",
  })
  const workers = [...made.files.keys()].filter((name) => /^worker-.*\.js$/.test(name))
  expect(workers).toHaveLength(2)
  for (const name of workers) expect(String(made.files.get('application.js'))).toContain(name)
  expect(codeOf(made)).toContain('from value')
  expect([...made.reads.keys()]).toEqual(['jobs/alone.ts', 'jobs/c.ts'])
  expect([made.open, made.unfollowed]).toEqual([
    [],
    [
      {
        file: 'src/tool.ts',
        line: 7,
        what: "new URL('../jobs/c.ts', import.meta.url)",
        fix: expect.stringContaining('new Worker('),
      },
    ],
  ])
})

test('B11.13 a file outside of the project that a module reads, or starts, is refused with its line', async () => {
  const around = emptyFolder()
  writeFiles(around, { 'shared/d.txt': 'x', 'other/d.txt': 'y', 'shared/job.ts': '' })
  writeFiles(around, { 'app/outside/d.txt': 'x', ...installed('data', {}, { 'd.txt': 'x' }) })
  const first = "const a = new URL('../../shared/d.txt', import.meta.url)"
  for (const [line, path] of [
    ["export const b = join(import.meta.dirname, '../../other/d.txt')", 'other/d.txt'],
    ["export const b = new Worker(new URL('../../shared/job.ts', import.meta.url))", 'shared/job.ts'],
    ["export const b = new URL('../../node_modules/data/d.txt', import.meta.url)", 'node_modules/data/d.txt'],
    ['export default a', 'shared/d.txt'],
  ] as const) {
    const lines = ["import { join } from 'node:path'", line, line === 'export default a' ? first : '']
    await expect(withTool(lines, {}, join(around, 'app'))).rejects.toMatchObject({
      code: 'build-file-refused',
      message: expect.stringMatching(line === 'export default a' ? /src\/tool\.ts:3,/ : /src\/tool\.ts:2,/),
      data: { path: join(around, path) },
    })
  }
  // What is not there may be written, and a folder of the project may be called as it likes.
  const fine = [
    "export const b = new URL('../../out.txt', import.meta.url)",
    "export const c = new URL('../outside/d.txt', import.meta.url)",
  ]
  expect([...(await withTool(fine, {}, join(around, 'app'))).reads.keys()]).toEqual(['outside/d.txt'])
})

test('B11.13 a project may be called as one of our packages, and its package.json may have a byte order mark', async () => {
  for (const name of ['retinue', '@retinue/core', '@retinue/mine']) {
    const { unfollowed } = await withTool(['export const load = (name: string) => import(name)'], {
      'package.json': `\uFEFF{"type":"module","name":"${name}","version":"1.0.0"}`,
    })
    expect(unfollowed.map(({ line }) => line)).toEqual([1])
  }
  const root = emptyFolder()
  writeFiles(root, { 'package.json': '\uFEFF{"retinue":{"include":["corpus"]}}', 'corpus/a.txt': '' })
  expect(includedFiles(root)).toEqual(['corpus'])
})

test('B11.13 S24 the same bytes in a folder that is called as the entry', async () => {
  const made = async (folder: string): Promise<unknown> => {
    return [...(await withTool(['export const a = 1'], {}, join(emptyFolder(), folder))).files]
  }
  expect(await made('retinue:entry/retinue:x')).toEqual(await made('plain'))
})

test('B11.13 why the bundler fails is told without colours', async () => {
  const failed = await withTool(["import './no.wasm'", 'export const a = 1'], { 'src/no.wasm': '\0' }).catch(
    (error: Error) => error.message,
  )
  expect(failed).toMatch(/could not be bundled: /)
  expect(failed).not.toContain('\u001b')
})

test('B11.13 what is known of side effects is known of what our packages bring along, and of nothing else', () => {
  const inOutputs = ['core', 'evals', 'memory', 'server'].flatMap((name) => {
    const { dependencies } = JSON.parse(readFileSync(new URL(`../../../${name}/package.json`, import.meta.url), 'utf8'))
    return Object.keys(dependencies ?? {}).filter((each) => !each.startsWith('@retinue/'))
  })
  // Of the package that loads projects, an output has the part that runs schedules.
  expect([...BROUGHT_ALONG].sort()).toEqual([...new Set([...inOutputs, 'croner'])].sort())
})
