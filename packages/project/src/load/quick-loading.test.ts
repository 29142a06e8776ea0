import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { agent, below, type Files, findingsIn, MODEL, tempProject } from '../../test-support/temp-project.ts'
import type { Finding } from '../findings/finding.ts'

// Each test starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

/** The findings of a process without a test runner: its modules are preloaded, and then nothing is loaded quickly. */
function findingsApart(root: string): Finding[] {
  const program = `import { checkProject } from ${JSON.stringify(new URL('../check-project.ts', import.meta.url))}
import { plainFinding } from ${JSON.stringify(new URL('../findings/finding.ts', import.meta.url))}
const { findings } = await checkProject(${JSON.stringify(root)})
console.log(JSON.stringify(findings.map(plainFinding)))`
  const args = ['--conditions=@retinue/source', '--input-type=module', '--eval', program]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
}

/** A package in the `node_modules` of a folder, whose default export is a text. */
function installed(root: string, folder: string, name: string, text: string): void {
  const dir = join(root, folder, 'node_modules', name)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }))
  writeFileSync(join(dir, 'index.js'), `export default ${JSON.stringify(text)}\n`)
}

/** A config that throws what it imported. */
function telling(specifier: string): string {
  return `import text from '${specifier}'\nthrow new Error(text)\n`
}

const AGENTS = 'src/retinue/agents'

test('B11.1 a package is the one of the nearest folder that has packages, for each agent', () => {
  const files: Files = {
    ...agent('far', { 'config.ts': telling('nearest') }),
    ...agent('near', { 'config.ts': telling('nearest') }),
    ...agent('near/subagents/below', { 'config.ts': telling('nearest') }),
  }
  const root = join(tempProject(below(`inner/${AGENTS}`, files)), 'inner')
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  installed(root, '', 'nearest', 'of the root')
  installed(root, `${AGENTS}/near`, 'nearest', 'of the agent')
  const findings = findingsApart(root)
  const messages = findings.filter(({ code }) => code === 'module-failed').map(({ message }) => message)
  expect(messages).toEqual([
    `"${AGENTS}/far/config.ts" could not be loaded: Error: of the root`,
    `"${AGENTS}/near/config.ts" could not be loaded: Error: of the agent`,
    `"${AGENTS}/near/subagents/below/config.ts" could not be loaded: Error: of the agent`,
  ])
})

test('B11.11 every kind of module loads, or fails, as it does in this process', async () => {
  const plain = `export default { ${MODEL} }\n`
  const common = `module.exports = { ${MODEL} }\n`
  const files: Files = {
    ...agent('js', { 'config.ts': `import { model } from './lib.js'\nexport default { model }\n` }),
    'js/lib.js': "export const model = 'openai/b'\n",
    'mts/config.mts': `const text: string = 'openai/b'\nexport default { model: text }\n`,
    'mts/instructions.md': 'Work.\n',
    'mjs/config.mjs': plain,
    'mjs/instructions.md': 'Work.\n',
    ...agent('enum', { 'config.ts': `enum Mode { On }\n${plain}` }),
    ...agent('json', { 'config.ts': "import data from './d.json' with { type: 'json' }\nexport default data\n" }),
    'json/d.json': '{ "model": "openai/b" }',
    ...agent('node', { 'config.ts': "import 'node:fs'\nimport 'path'\nimport 'no-such'\nexport default 1\n" }),
    // Here Node decides what kind of module a file is, by what stands in it.
    'common/package.json': '{ "type": "commonjs" }',
    ...agent('common', { 'config.ts': common, 'tools/a.ts': plain }),
    'unsaid/package.json': '{}',
    ...agent('unsaid', { 'config.ts': plain, 'tools/a.js': common }),
  }
  const root = tempProject(below(AGENTS, files))
  const findings = findingsApart(root)
  expect(findings).toEqual(await findingsIn(root))
  const failed = findings.filter(({ code }) => code === 'module-failed').map(({ file }) => dirname(file))
  expect(failed.map((dir) => dir.slice(AGENTS.length + 1))).toEqual(['common/tools', 'enum', 'node'])
})
