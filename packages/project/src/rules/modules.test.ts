import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  agent,
  below,
  config,
  type Files,
  findingsIn,
  findingsOf,
  tempProject,
  toldOf,
  tool,
} from '../../test-support/temp-project.ts'

test('B11.11 a syntax error has its place, and the others are still told', async () => {
  const unclosed = `import { agentConfig } from '@retinue/core/agent'\nexport default agentConfig({\n`
  const files = {
    ...agent('sup', { 'config.ts': unclosed, 'tools/a.ts': 'export default 5\n' }),
    ...agent('sup/subagents/r'),
  }
  expect(await toldOf({ ...files, 'sup/subagents/r/config.ts': config() })).toMatchInlineSnapshot(`
    "error[syntax-error] sup/config.ts:3:1 (sup)
      Expected \`}\` but found \`EOF\`
      fix: correct the syntax at this place; what is missing may stand earlier
    error[subagent-description-missing] sup/subagents/r/config.ts:2:16 (sup > r)
      subagent "r" has no description
      fix: write description: 'Use it to …: what it does, and when to delegate to it.'
    error[default-export-invalid] sup/tools/a.ts:1:16 (sup)
      "tools/a.ts" exports a number as its default
      fix: write: export default createTool({ id, description, inputSchema, execute })"
  `)
})

test('B11.11 a syntax error in what modules import is told once, where it is', async () => {
  const own = `import '../lib.ts'\n${config()}`
  const files = {
    ...agent('a', { 'config.ts': own }),
    ...agent('b', { 'config.ts': own }),
    'lib.ts': 'const a = 1\nconst a = 2\n',
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[syntax-error] lib.ts:2:7 (a)
      Identifier \`a\` has already been declared
      fix: correct the syntax at this place; what is missing may stand earlier"
  `)
})

test('B11.11 a module that throws: at the line that threw, also in a helper', async () => {
  const files = {
    ...agent('a', { 'config.ts': "const x: number = 1\n\n  throw new Error('boom ' + x)\n" }),
    ...agent('b', {
      'config.ts': "import './helper'\nexport default 1\n",
      'helper.ts': 'export const q = 1\nnull.x\n',
    }),
    ...agent('c', { 'config.ts': "throw 'text'\n" }),
    ...agent('d', { 'config.ts': "export default {\n  get model() { throw new Error('getter') },\n}\n" }),
    ...agent('e', { 'config.ts': config(), 'tools/a.ts': `\nawait Promise.reject(new Error('late'))\n${tool()}` }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[module-failed] a/config.ts:3:9 (a)
      "a/config.ts" could not be loaded: Error: boom 1
      fix: make the module load without an error; what needs a key or a service belongs into a tool
    error[module-failed] b/helper.ts:2:6 (b)
      "b/config.ts" could not be loaded: TypeError: Cannot read properties of null (reading 'x')
      fix: make the module load without an error; what needs a key or a service belongs into a tool
    error[module-failed] c/config.ts:1:1 (c)
      "c/config.ts" could not be loaded: text
      fix: make the module load without an error; what needs a key or a service belongs into a tool
    error[module-failed] d/config.ts:2:23 (d)
      "d/config.ts" could not be loaded: Error: getter
      fix: make the module load without an error; what needs a key or a service belongs into a tool
    error[module-failed] e/tools/a.ts:2:22 (e)
      "e/tools/a.ts" could not be loaded: Error: late
      fix: make the module load without an error; what needs a key or a service belongs into a tool"
  `)
})

test('B11.11 an import that finds nothing: at the import, with what to do', async () => {
  const files = {
    ...agent('a', { 'config.ts': `import './nope'\n${config()}` }),
    ...agent('b', { 'config.ts': `import q from 'no-such-package/x'\n${config()}` }),
    ...agent('c', { 'config.ts': `import '@retinue/core/nope'\n${config()}` }),
    ...agent('d', { 'config.ts': `import './helper'\n${config()}`, 'helper.ts': "\nimport './gone.ts'\n" }),
    ...agent('e', {
      'config.ts': `const a = 1\nimport { nope } from './helper'\n${config()}`,
      'helper.ts': 'export const a = 1\n',
    }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[module-failed] a/config.ts:1:8 (a)
      "a/config.ts" could not be loaded: Error: Cannot find module 'a/nope' imported from a/config.ts
      fix: correct the path "./nope", or add the file
    error[module-failed] b/config.ts:1:15 (b)
      "b/config.ts" could not be loaded: Error: Cannot find package 'no-such-package' imported from b/config.ts
      fix: install the package (npm install no-such-package), or correct its name
    error[module-failed] c/config.ts:1:8 (c)
      "c/config.ts" could not be loaded: Error: Package subpath './nope' is not defined by "exports" in node_modules/@retinue/core/package.json imported from c/config.ts
      fix: import what @retinue/core exports, or install a version of it that exports this
    error[module-failed] d/helper.ts:2:8 (d)
      "d/config.ts" could not be loaded: Error: Cannot find module 'd/gone.ts' imported from d/helper.ts
      fix: correct the path "./gone.ts", or add the file
    error[module-failed] e/config.ts:2:10 (e)
      "e/config.ts" could not be loaded: SyntaxError: The requested module './helper' does not provide an export named 'nope'
      fix: import a name that the other module exports, or export it there"
  `)
})

test('B11.11 R22 an import by a name that only a tsconfig knows, or that package.json must know: the cause, and the way of Node', async () => {
  const tsconfig = `{
    // Comments may stand here.
    "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./types/*"], "lib/*": ["src/lib/*"], "models": ["./m.ts"] } }
  }`
  const imports = { a: '@/lib/h', b: 'lib/h.ts', c: 'models', d: '#lib', e: 'no-such-package', f: '~/h' }
  const agents = Object.entries(imports).map(([name, from]) => {
    return agent(name, { 'config.ts': `import '${from}'\n${config()}` })
  })
  const files = { ...below('src/retinue/agents', Object.assign({}, ...agents)), 'tsconfig.json': tsconfig }
  const fixes = (await findingsIn(tempProject(files))).map(({ fix }) => fix)
  const written = (entry: string, from: string): string =>
    `Node pays no heed to "paths" of a tsconfig: write "imports": { ${entry} } into package.json and import "${from}", or import it by its relative path`
  expect(fixes).toEqual([
    written('"#*": "./src/*"', '#lib/h.ts'),
    written('"#*": "./src/lib/*"', '#h.ts'),
    written('"#models": "./m.ts"', '#models'),
    'let "imports" of the nearest package.json lead "#lib" to a file that is there, or correct the name',
    'install the package (npm install no-such-package), or correct its name',
    written('"#*": "./src/*"', '#h.ts'),
  ])
  // What it says works.
  const mended = {
    ...agent('a', { 'config.ts': `import '#lib/h.ts'\nimport '#h'\n${config()}` }),
  }
  const imported = {
    'package.json': '{"type":"module","imports":{"#*":"./src/*","#h":"./src/lib/h.ts"}}',
    'src/lib/h.ts': '',
  }
  expect(await findingsIn(tempProject({ ...below('src/retinue/agents', mended), ...imported }))).toEqual([])
})

test('B11.13 an alias that a tsconfig has from those that it extends is told as one, and no package is named for it', async () => {
  const alias = (paths: string, more: string = ''): string => `{ ${more} "compilerOptions": { "paths": { ${paths} } } }`
  const sup = below('src/retinue/agents', agent('sup', { 'config.ts': `import '@lib/up'\n${config()}` }))
  const fixWith = async (files: Files, folder: string = '.'): Promise<string | undefined> =>
    (await findingsIn(join(tempProject(files), folder)))[0]?.fix
  const heed = 'Node pays no heed to "paths" of a tsconfig'
  const told = (target: string): string =>
    `${heed}: write "imports": { "#*": "./${target}" } into package.json and import "#up.ts", or import it by its relative path`
  const lib = alias('"@lib/*": ["../src/lib/*"]')
  const one = { ...sup, 'tsconfig.json': '{ "extends": "./config/base", /* here */ }', 'config/base.json': lib }
  expect(await fixWith(one)).toBe(told('src/lib/*'))
  // The last of several wins, unless the file says it itself; a cycle ends.
  const several = {
    ...sup,
    'tsconfig.json': '{ "extends": ["./config/a.json", "./config/b.json", "./config/gone.json"] }',
    'config/a.json': lib,
    'config/b.json': alias(`"@lib/*": ["\${configDir}/other/*"]`, '"extends": "../tsconfig.json",'),
  }
  expect(await fixWith(several)).toBe(told('other/*'))
  const based = '{ "extends": "./config/base.json", "compilerOptions": { "baseUrl": "./src" } }'
  const base = alias('"@lib/*": ["./lib/*"]')
  expect(await fixWith({ ...sup, 'tsconfig.json': based, 'config/base.json': base })).toBe(told('src/lib/*'))
  // In a repository of several packages, what is extended stands above the project.
  const above = {
    'tsconfig.base.json': alias('"@lib/*": ["./lib/*"]'),
    'apps/one/tsconfig.json': '{ "extends": "../../tsconfig.base.json" }',
  }
  expect(
    await fixWith({ ...above, ...below('apps/one', { ...sup, 'package.json': '{"type":"module"}' }) }, 'apps/one'),
  ).toBe(`${heed}: import it by its relative path; what it means is in "../../lib/*"`)
  // What is in a comment, or what the file says otherwise, is no alias: then it is a package.
  const install = 'install the package (npm install @lib/up), or correct its name'
  expect(await fixWith({ ...one, 'tsconfig.json': '{ // "extends": "./config/base"\n}' })).toBe(install)
  expect(await fixWith({ ...one, 'tsconfig.json': alias('', '"extends": "./config/base",') })).toBe(install)
})

test('B11.11 TypeScript that can not be left out', async () => {
  const files = agent('sup', { 'config.ts': `const a = 1\n  enum Mode { On }\n${config()}` })
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[module-failed] sup/config.ts:2:3 (sup)
      "sup/config.ts" could not be loaded: SyntaxError: TypeScript enum is not supported in strip-only mode
      fix: write it in TypeScript whose types can be left out: no enum, namespace or parameter property"
  `)
})

test('B11.1 imports may leave out the extension, or write .js for .ts', async () => {
  const own = `import { model } from './lib/models'
import { text } from '../text.js'
import more from '../more'
export default { model, instructions: text, tools: more }
`
  const files = {
    'sup/config.ts': own,
    'sup/lib/models.ts': "export const model = 'openai/b'\n",
    'text.ts': "export const text = 'Work.'\n",
    'more/index.mts': `import one from './one.mjs'\nexport default { one }\n`,
    'more/one.mts': tool(),
  }
  expect(await findingsOf(files)).toEqual([])
})

test('B11.1 a module that two agents import is evaluated once', async () => {
  const counted =
    'const g = globalThis as { counted?: number }\ng.counted = (g.counted ?? 0) + 1\nexport const model = "openai/" + g.counted\n'
  const own = (path: string): string =>
    `import { model } from '${path}'\nif (model !== 'openai/1') throw new Error(model)\nexport default { model }\n`
  const files = {
    ...agent('a', { 'config.ts': own('../models') }),
    ...agent('b', { 'config.ts': own('../models.js') }),
  }
  Reflect.deleteProperty(globalThis, 'counted')
  expect(await findingsOf({ ...files, 'models.ts': counted })).toEqual([])
})
