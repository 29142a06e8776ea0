import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { checkProject } from '../check-project.ts'
import { writeTypes } from './write-types.ts'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'retinue-types-'))
afterAll(() => rmSync(folder, { recursive: true }))

cpSync(join(repository, 'examples/research-supervisor'), folder, {
  recursive: true,
  filter: (path) => !/node_modules|\.retinue/.test(path),
})
symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
const file = join(folder, '.retinue/types.d.ts')

test('B11.12 check tells types of the agents: ids, keys of subagents, modules of tools', async () => {
  await checkProject(folder, { types: true })
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(
    /'research-supervisor': \{\n {8}id: 'research-supervisor'\n {8}tools: \{\n.*\n {8}\}\n {8}subagents: \{\n {10}'researcher': \{/,
  )
  expect(text).toMatch(
    /'search_web': typeof import\('\.\.\/src\/retinue\/agents\/.*\/tools\/search_web\.ts'\)\.default/,
  )
  const { mtimeMs } = statSync(file)
  await checkProject(folder, { types: true })
  expect(statSync(file).mtimeMs).toBe(mtimeMs)
})

test('B11.12 a check that is not asked to writes nothing', async () => {
  rmSync(file)
  await checkProject(folder)
  expect(() => statSync(file)).toThrow(/ENOENT/)
})

test('B11.13 types of a project that went do not make its folder again', () => {
  const root = join(mkdtempSync(join(tmpdir(), 'retinue-gone-')), 'project')
  writeTypes(root, [])
  expect(existsSync(root)).toBe(false)
  mkdirSync(root)
  writeTypes(root, [])
  expect(existsSync(join(root, '.retinue/types.d.ts'))).toBe(true)
  rmSync(join(root, '..'), { recursive: true })
})

test('B3.2 B11.12 a program that includes the file knows the agents, and a typo does not compile', async () => {
  await checkProject(folder, { types: true })
  const hooks = 'src/retinue/agents/research-supervisor/hooks.ts'
  mkdirSync(join(folder, 'src/retinue/agents/research-supervisor'), { recursive: true })
  writeFileSync(
    join(folder, hooks),
    `import type { HooksOf } from '@retinue/project'

export default {
  onDelegationStart: ({ primitiveId }) => ({ proceed: primitiveId === 'researcher' }),
  onDelegationComplete: ({ key }) => {
    // @ts-expect-error a typo
    if (key === 'reseacher') return { feedback: 'x' }
    return undefined
  },
} satisfies HooksOf<'research-supervisor'>
`,
  )
  writeFileSync(
    join(folder, 'src/program.ts'),
    `import { type AgentPath, loadProject, type ToolInputOf } from '@retinue/project'

export const { agents, app } = await loadProject('.')
export const researcher = app.getAgent('research-supervisor')
// @ts-expect-error there is no such agent
export const nobody = app.getAgent('research-superviser')
export const { text } = await agents['research-supervisor'].generate('Go', {
  // @ts-expect-error a typo
  delegation: { onDelegationStart: ({ key }) => ({ proceed: key === 'reseacher' }) },
})
// @ts-expect-error there is no such agent
export const other = agents['research-superviser']
export const path: AgentPath = 'research-supervisor/researcher'
// @ts-expect-error there is no such path
export const wrong: AgentPath = 'research-supervisor/editor'
export const input: ToolInputOf<'research-supervisor/researcher', 'search_web'> = { query: 'Bhutan', limit: 5 }
// @ts-expect-error it takes a text
export const none: ToolInputOf<'research-supervisor/researcher', 'search_web'> = { query: 5, limit: 5 }
`,
  )
  const config = JSON.parse(readFileSync(join(repository, 'tsconfig.base.json'), 'utf8')) as { compilerOptions: object }
  const options = {
    ...config.compilerOptions,
    composite: false,
    incremental: false,
    noEmit: true,
    isolatedDeclarations: false,
    declaration: false,
    declarationMap: false,
    sourceMap: false,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    customConditions: ['@retinue/source'],
    skipLibCheck: true,
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['src/program.ts', 'src/**/hooks.ts', '.retinue/types.d.ts'] }),
  )
  expect(compile()).toBe('')
})

function compile(): string {
  try {
    execFileSync(
      process.execPath,
      [join(repository, 'node_modules/typescript/bin/tsc'), '-p', '.', '--pretty', 'false'],
      { cwd: folder, encoding: 'utf8' },
    )
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}
