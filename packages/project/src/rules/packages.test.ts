import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { agent, below, config, type Files, findingsIn, tempProject, told } from '../../test-support/temp-project.ts'

/** A project in which only these packages are installed, beside Retinue. */
function projectWith(packages: readonly string[], agents: Files, more: Files = {}): string {
  const root = tempProject({ ...below('src/retinue/agents', agents), ...more })
  const all = realpathSync(join(root, 'node_modules'))
  rmSync(join(root, 'node_modules'))
  for (const name of ['@retinue', ...packages]) {
    const link = join(root, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(all, name), link)
  }
  return root
}

test('B1.2 a model whose provider has no package here, at the model', async () => {
  const models = ["['openai/a', 'anthropic/b']", "'ollama/c'", "'offline/planner'", '() => "google/d"']
  const agents = models.map((model, at) => agent(`a${at}`, { 'config.ts': config(`model: ${model}`) }))
  const root = projectWith(['@ai-sdk/openai'], Object.assign({}, ...agents))
  expect(told(await findingsIn(root))).toMatchInlineSnapshot(`
    "warning[model-package-missing] src/retinue/agents/a0/config.ts:2:37 (a0)
      "anthropic" needs the package @ai-sdk/anthropic, which is not installed
      fix: npm install @ai-sdk/anthropic
    warning[model-package-missing] src/retinue/agents/a1/config.ts:2:37 (a1)
      "ollama" needs the package @ai-sdk/openai-compatible, which is not installed
      fix: npm install @ai-sdk/openai-compatible"
  `)
})

test('B1.2 a registered provider brings its models along, and a package above the project counts', async () => {
  const mine = "model: 'google/x', defaultOptions: { providers: { google: () => { throw new Error() } } }"
  const root = projectWith(['@ai-sdk/openai', '@ai-sdk/openai-compatible'], {
    ...agent('a', { 'config.ts': config(mine) }),
    ...agent('b', { 'config.ts': config("model: ['openai/x', 'groq/x']") }),
  })
  expect(await findingsIn(root)).toEqual([])
  const outer = projectWith(['@ai-sdk/openai'], {}, below('inner/src/retinue/agents', agent('a')))
  writeFileSync(join(outer, 'inner/package.json'), '{ "type": "module" }')
  expect(await findingsIn(join(outer, 'inner'))).toEqual([])
})

test("B1.2 with Plug'n'Play nothing is known of packages", async () => {
  expect(await findingsIn(projectWith([], agent('a'), { '.pnp.cjs': '' }))).toEqual([])
})

/** What is said of the kind of modules, and nothing else: CommonJS does not load as it stands. */
async function kindsIn(root: string): Promise<string> {
  return told((await findingsIn(root)).filter(({ code }) => code === 'module-type-missing'))
}

const AGENT = below('src/retinue/agents', agent('a'))

test('B11.11 a package.json without "type": "module", at its type or its beginning', async () => {
  const none = '{\n  "name": "t",\n  "repository": { "type": "git" }\n}\n'
  const another = '{\n  "repository": { "type": "git" },\n  "type": "commonjs"\n}\n'
  const projects = [none, another].map((text) => kindsIn(tempProject({ 'package.json': text, ...AGENT })))
  expect((await Promise.all(projects)).join('\n')).toMatchInlineSnapshot(`
    "warning[module-type-missing] package.json:1:1 (the application)
      "package.json" has no "type": "module"
      fix: write "type": "module" into "package.json"
    warning[module-type-missing] package.json:3:11 (the application)
      "package.json" says "type": "commonjs", not "module"
      fix: write "type": "module" into "package.json""
  `)
})

test('B11.11 no package.json at all, or one above the project', async () => {
  const root = tempProject(below('inner', AGENT))
  expect(await kindsIn(join(root, 'inner'))).toBe('')
  writeFileSync(join(root, 'package.json'), '{}')
  expect(await kindsIn(join(root, 'inner'))).toMatchInlineSnapshot(`
    "warning[module-type-missing] package.json:1:1 (the application)
      "package.json" is not there, so nothing says that the modules are ES modules
      fix: write "type": "module" into "package.json""
  `)
  rmSync(join(root, 'package.json'))
  expect(await kindsIn(join(root, 'inner'))).toContain('"package.json" is not there')
})

test('B11.11 the nearest package.json counts; files that say what they are need none, and one that is broken is Node’s to tell', async () => {
  const type = '{ "type": "module" }'
  expect(await kindsIn(tempProject({ 'package.json': '{}', 'src/package.json': type, ...AGENT }))).toBe('')
  const said = below('src/retinue/agents/a', { 'config.mts': config(), 'instructions.md': 'Work.\n' })
  expect(await kindsIn(tempProject({ 'package.json': '{}', ...said }))).toBe('')
  expect(await kindsIn(tempProject({ 'package.json': '{', ...AGENT }))).toBe('')
})
