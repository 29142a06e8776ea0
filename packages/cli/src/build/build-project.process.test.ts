import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CLI, cliProject, NODE_MODULES, writeFiles } from '../../test-support/cli-project.ts'
import { ask, bytesOf, emptyFolder, movedOutput, serving } from '../../test-support/output.ts'
import { buildProject } from './build-project.ts'

// Bundling takes a while on a busy machine, and some tests start processes.
vi.setConfig({ testTimeout: 60_000 })

const AGENTS = 'src/retinue/agents'

function config(fields: string): string {
  return `import { agentConfig } from '@retinue/core/agent'\nexport default agentConfig({ ${fields} })\n`
}

const PLANNER = "model: 'offline/planner'"

const TOOL = `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTool } from '@retinue/core/tools'
import { z } from 'zod'

const first = readFileSync(new URL('../facts/otters.txt', import.meta.url), 'utf8')
const second = readFileSync(join(import.meta.dirname, '../facts', 'seals.txt'), 'utf8')

export default createTool({
  id: 'search',
  description: 'Searches facts about otters and seals.',
  inputSchema: z.object({ query: z.string() }),
  execute: async () => {
    if (process.env['HOLD']) writeFileSync('begun', '')
    while (process.env['HOLD'] && !existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20))
    return first + second
  },
})
`

/** A supervisor with a subagent, a tool that reads files beside itself, seeds, a skill, and a schedule. */
const FILES = {
  [`${AGENTS}/sup/config.ts`]: config(`${PLANNER}, durable: true`),
  [`${AGENTS}/sup/instructions.md`]: 'Coordinate the work.\n',
  [`${AGENTS}/sup/schedules/daily.md`]: '---\ncron: 0 9 * * *\n---\nSum up the day.\n',
  [`${AGENTS}/sup/subagents/researcher/agent.md`]:
    '---\nmodel: offline/planner\ndescription: Researches facts about otters and seals.\n---\nLook things up.\n',
  [`${AGENTS}/sup/subagents/researcher/tools/search.ts`]: TOOL,
  [`${AGENTS}/sup/subagents/researcher/facts/otters.txt`]: 'Otters hold hands.\n',
  [`${AGENTS}/sup/subagents/researcher/facts/seals.txt`]: 'Seals clap.\n',
  [`${AGENTS}/sup/subagents/researcher/skills/cite.md`]: '---\ndescription: How to cite.\n---\nName the source.\n',
  [`${AGENTS}/sup/subagents/researcher/workspace/style.md`]: 'Short sentences.\n',
}

/** The files of the one build in an output, by their paths in it. */
function builtFiles(folder: string): Record<string, string> {
  const own = Object.entries(bytesOf(folder)).filter(([path]) => path.startsWith('build-'))
  expect(new Set(own.map(([path]) => path.split('/')[0])).size).toBe(1)
  return Object.fromEntries(own.map(([path, bytes]) => [path.slice(path.indexOf('/') + 1), bytes]))
}

async function built(root: string): Promise<string> {
  const { output, check } = await buildProject({ path: root })
  if (output === undefined) throw new Error(JSON.stringify(check.findings))
  return output.folder
}

/** The same project in a folder that lies deeper. */
function deepProject(): string {
  const root = join(cliProject({}), 'a/b/c')
  writeFiles(root, { 'package.json': '{"type":"module"}', ...FILES })
  symlinkSync(NODE_MODULES, join(root, 'node_modules'))
  return root
}

test('B11.13 S24 the same bytes in any directory, over an output that is there, and twice at once', async () => {
  const one = bytesOf(await built(cliProject(FILES)))
  const root = deepProject()
  writeFiles(root, {
    '.retinue/output/package.json': '{"name":"retinue-output"}',
    '.retinue/output/left-over.js': '',
  })
  await Promise.all([built(root), built(root)])
  const other = bytesOf(join(root, '.retinue/output'))
  expect(Object.keys(other)).toEqual(Object.keys(one))
  for (const [path, bytes] of Object.entries(one)) expect(other[path] === bytes, path).toBe(true)
  expect(readdirSync(join(root, '.retinue')).sort()).toEqual(['output', 'types.d.ts'])
  // Nothing in it says where it was made, and nothing that reads, checks or loads folders is in it.
  const places = [NODE_MODULES, 'oxc-parser', 'registerHooks', 'rolldown', 'subagent-unreachable']
  // The bundler's helpers for modules have a file of their own, which is called after it.
  for (const [path, bytes] of Object.entries(one))
    for (const text of places)
      expect(bytes.replaceAll('rolldown-runtime', '').includes(text), `${text} in ${path}`).toBe(false)
  const scripts = Object.entries(one).flatMap(([path, bytes]) => (path.endsWith('.js') ? bytes : []))
  for (const text of ['Coordinate the work.', 'Look things up.', 'Name the source.', 'Sum up the day.'])
    expect(scripts.join('').includes(text), text).toBe(true)
  const style = `files/${AGENTS}/sup/subagents/researcher/workspace/style.md`
  expect(builtFiles(join(root, '.retinue/output'))[style]).toBe('Short sentences.\n')
})

test('B11.13 an error ends it, and with --strict a warning: the last output stays, and what is no output at all', async () => {
  const root = cliProject({ ...FILES, [`${AGENTS}/sup/notes.txt`]: '', 'public/index.html': 'mine' })
  const kept = { '.retinue/output/package.json': '{"name":"retinue-output"}' }
  writeFiles(root, kept)
  expect((await buildProject({ path: root, strict: true })).output).toBe(undefined)
  const out = join(root, 'public')
  await expect(buildProject({ path: root, out })).rejects.toMatchObject({ code: 'build-output-foreign' })
  writeFileSync(join(root, AGENTS, 'sup/subagents/researcher/agent.md'), '---\nmodel: offline/planner\n---\nLook.\n')
  const { output, check } = await buildProject({ path: root })
  expect(output).toBe(undefined)
  expect(check.findings.map(({ code }) => code)).toEqual(['entry-ignored', 'subagent-description-missing'])
  expect(bytesOf(join(root, '.retinue/output'))).toEqual({ 'package.json': '{"name":"retinue-output"}' })
  expect(bytesOf(out)).toEqual({ 'index.html': 'mine' })
})

test('B11.13 the output serves without sources and with nothing installed but what it lists; PORT is honoured', async () => {
  const folder = movedOutput(await built(cliProject(FILES)))
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies).toEqual({
    '@libsql/client': '0.18.0',
  })
  const cwd = emptyFolder()
  const first = await serving([folder], { cwd })
  expect(await ask(first.url, 'sup', 'Research facts about otters and seals.')).toMatch(
    /Otters hold hands\.[\s\S]*Seals clap\./,
  )
  // B11.9: what agents write is where it runs, and never in the output.
  expect(existsSync(join(cwd, '.retinue/data/retinue.db'))).toBe(true)
  expect(existsSync(join(folder, '.retinue'))).toBe(false)
  expect(await first.end()).toBe(0)
  const { port } = new URL(first.url)
  const second = await serving([folder], { cwd, env: { PORT: port, HOLD: '1' } })
  expect(new URL(second.url).port).toBe(port)
  // It dies in the middle of a run that is durable: the next one goes on with it.
  ask(second.url, 'sup', 'Research facts about otters and seals.').catch(() => {})
  await vi.waitFor(() => expect(existsSync(join(cwd, 'begun'))).toBe(true), { timeout: 20_000, interval: 20 })
  await second.end('SIGKILL')
  writeFileSync(join(cwd, 'go'), '')
  const third = await serving([folder], { cwd })
  await vi.waitFor(
    async () => {
      const { runs } = (await (await fetch(`${third.url}/api/runs`)).json()) as { runs: { status: string }[] }
      expect(runs.map(({ status }) => status)).toContain('ended')
      expect(runs.map(({ status }) => status)).not.toContain('running')
    },
    { timeout: 20_000, interval: 50 },
  )
  expect(await third.end('SIGINT')).toBe(130)
  // An argument goes before a variable, and none is passed over.
  const fourth = await serving([folder, '--port', '0'], { cwd, env: { PORT: 'http' } })
  expect(await fourth.end()).toBe(0)
  await expect(serving([folder, '--prot', '0'], { cwd })).rejects.toThrow(/ended with 2.*\n.*--prot.*PORT and HOST/)
  await expect(serving([folder], { cwd, env: { PORT: 'http' } })).rejects.toThrow(
    /ended with 2.*\n.*PORT is "http", and a port is a number from 0 to 65535/,
  )
})

test('B11.13 what runs of an output keeps working when the next build comes: late parts, files; and then the next one starts', async () => {
  const researcher = `${AGENTS}/sup/subagents/researcher`
  const late = TOOL.replace('return first + second', "return (await import('../late.ts')).late()")
  const reading =
    "import { readFileSync } from 'node:fs'\nexport const late = () => readFileSync(new URL('./facts/otters.txt', import.meta.url), 'utf8')\n"
  const root = cliProject({ ...FILES, [`${researcher}/tools/search.ts`]: late, [`${researcher}/late.ts`]: reading })
  const folder = await built(root)
  const old = readdirSync(folder)
  writeFiles(folder, { 'node_modules/installed/package.json': '{}', 'left-over.js': '' })
  const running = await serving([folder], { cwd: root })
  const change = (text: string): void => {
    writeFiles(root, { [`${researcher}/facts/otters.txt`]: `${text}\n`, [`${AGENTS}/sup/instructions.md`]: text })
    writeFiles(root, { [`${researcher}/late.ts`]: `${reading}// ${text}\nexport const more = '${text}'\n` })
  }
  change('Otters sleep.')
  expect(await built(root)).toBe(folder)
  // Once more with nothing changed: it is the same build, and the one that runs is still there.
  await built(root)
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([...old, 'node_modules']))
  expect(readdirSync(folder)).toHaveLength(old.length + 2)
  expect(await ask(running.url, 'sup', 'Hello there.')).not.toBe('')
  const question = 'Research facts about otters and seals.'
  expect(await ask(running.url, 'sup', question)).toContain('Otters hold hands.')
  expect(await running.end()).toBe(0)
  const next = await serving([...CLI, 'start', '--output', folder], { cwd: root })
  expect(await ask(next.url, 'sup', question)).toContain('Otters sleep.')
  expect(await next.end()).toBe(0)
  // Nothing of what was built before stays when nobody runs it: the output is what a first build would make.
  change('Otters eat.')
  const again = await built(root)
  rmSync(join(again, 'node_modules'), { recursive: true })
  const cold = cliProject({})
  cpSync(join(root, 'src'), join(cold, 'src'), { recursive: true })
  expect(bytesOf(again)).toEqual(bytesOf(await built(cold)))
})

test('B11.13 an output whose packages are not installed says which one, and one way to mend it', async () => {
  const root = cliProject({
    ...FILES,
    // Needed at once, and not only when a database is opened.
    [`${AGENTS}/sup/tools/bytes.ts`]: `import '@libsql/client'\nimport { createTool } from '@retinue/core/tools'\nexport default createTool({ id: 'bytes', description: 'Counts the bytes.', execute: () => 1 })\n`,
  })
  const common = cliProject({
    ...FILES,
    'lib/common.cjs': "exports.client = require('@libsql/client')\n",
    [`${AGENTS}/sup/config.ts`]: `import '../../../../lib/common.cjs'\n${config(PLANNER)}`,
  })
  for (const project of [root, cliProject(FILES), common]) {
    const folder = join(emptyFolder(), 'served')
    cpSync(await built(project), folder, { recursive: true })
    for (const args of [[folder], [...CLI, 'start', '--output', folder]]) {
      const failed = await serving(args, { cwd: emptyFolder() }).catch((error: Error) => error.message)
      expect(failed).toMatch(
        /^it ended with 1 .*\nerror: Cannot find (?:package|module) '@libsql\/client'\.\n {2}= fix: .* npm install --prefix \S+\n$/,
      )
    }
  }
})

const INDEX = `import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'

interface Unused { readonly a: string }

if (process.env['BREAK']) throw new Error('broken on purpose')
export const app = new Retinue({
  agents: { coded: new Agent({ id: 'coded', model: 'offline/echo', instructions: 'Echo.' }) },
  storage: new InMemoryStorage({ id: 'own' }),
})
`

test('B11.13 an older Node is told that it is, before anything is loaded that it can not run', async () => {
  const folder = await built(cliProject(FILES))
  const index = readFileSync(join(folder, 'index.js'), 'utf8')
  const older = index.replaceAll('process.versions.node', "'20.20.0'")
  expect(older).not.toBe(index)
  writeFileSync(join(folder, 'index.js'), older.replaceAll('process.version', "'v20.20.0'"))
  const { status, stderr } = spawnSync(process.execPath, [folder], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toBe(
    `error: It needs Node 22.18 or newer; this is v20.20.0.\n  = fix: Start it with a newer Node: ${process.execPath} is the one that was used.\n`,
  )
})

test('B11.13 the package of a provider is listed where an agent names its model, and only there', async () => {
  const named = { [`${AGENTS}/sup/config.ts`]: config("model: 'openai/gpt-5.5'") }
  const outputs = [
    await buildProject({ path: cliProject({ ...FILES, ...named }) }),
    await buildProject({ path: cliProject(FILES) }),
  ]
  expect(outputs.map(({ output }) => Object.keys(output?.dependencies ?? {}))).toEqual([
    ['@ai-sdk/openai', '@libsql/client'],
    ['@libsql/client'],
  ])
})

test('B11.2 B11.13 R22 index.ts and server.ts in a project of CommonJS: their settings hold, and errors tell lines of sources', async () => {
  const server = `export default { token: 'a-token-of-sixteen' }\n`
  const files = { ...FILES, 'src/retinue/index.ts': INDEX, 'src/retinue/server.ts': server }
  const root = cliProject({ ...files, 'package.json': '{}' })
  const folder = movedOutput(await built(root))
  const cwd = emptyFolder()
  const served = await serving([folder], { cwd })
  await expect(ask(served.url, 'coded', 'Hello there.')).rejects.toThrow('401')
  const asked = (agent: string, prompt: string): Promise<string> => ask(served.url, agent, prompt, 'a-token-of-sixteen')
  expect(await asked('coded', 'Hello there.')).toContain('Hello there.')
  expect(await asked('sup', 'Research facts about otters.')).toContain('Otters hold hands.')
  expect(existsSync(join(cwd, '.retinue/data/retinue.db'))).toBe(false)
  expect(await served.end()).toBe(0)
  await expect(serving([folder], { cwd, env: { BREAK: '1' } })).rejects.toThrow(/src[\\/]retinue[\\/]index\.ts:7/)
})

test('R22 imports that only a tsconfig knows are a named error, in the build as in check', async () => {
  const files = {
    ...FILES,
    'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@/*': ['./src/*'] } } }),
    'src/shared.ts': 'export const shared = 1\n',
    [`${AGENTS}/sup/config.ts`]: `import { shared } from '@/shared'\n${config(PLANNER)}void shared\n`,
  }
  const { output, check } = await buildProject({ path: cliProject(files) })
  expect([output, check.findings.map(({ code }) => code)]).toEqual([undefined, ['module-failed']])
})

test('R22 two copies of core in one project', async () => {
  const root = emptyFolder()
  linkPackage(root, 'zod')
  // The alias is another copy, as an installed one would be.
  for (const name of ['@retinue/core', '@mastra/core']) copyOfCore(root, name)
  const mixed = { [`${AGENTS}/sup/config.ts`]: config(PLANNER).replace('@retinue/core', '@mastra/core') }
  writeFiles(root, { 'package.json': '{"type":"module"}', ...FILES, ...mixed })
  const served = await serving([movedOutput(await built(root))], { cwd: emptyFolder() })
  expect(await ask(served.url, 'sup', 'Research facts about otters.')).toContain('Otters hold hands.')
  expect(await served.end()).toBe(0)
})

function linkPackage(root: string, name: string): void {
  mkdirSync(join(root, 'node_modules', name, '..'), { recursive: true })
  symlinkSync(join(NODE_MODULES, name), join(root, 'node_modules', name))
}

function copyOfCore(root: string, name: string): void {
  const folder = join(root, 'node_modules', name)
  mkdirSync(folder, { recursive: true })
  const core = join(NODE_MODULES, '@retinue/core')
  const manifest = readFileSync(join(core, 'package.json'), 'utf8').replaceAll('@retinue/source', 'none')
  writeFileSync(join(folder, 'package.json'), manifest)
  cpSync(join(core, 'dist'), join(folder, 'dist'), { recursive: true })
  symlinkSync(NODE_MODULES, join(folder, 'node_modules'))
}

test('B11.13 R22 a package of a tarball is listed by its path from the output, and who moves that is told', async () => {
  const root = join(cliProject({}), 'app')
  const packages = { 'node_modules/ball': { version: '1.0.0', resolved: 'file:vendor/ball-1.0.0.tgz' } }
  writeFiles(root, {
    ...FILES,
    'package.json': '{"type":"module"}',
    'node_modules/.package-lock.json': JSON.stringify({ packages }),
    'node_modules/ball/package.json': '{"name":"ball","version":"1.0.0"}',
    'node_modules/ball/index.js': 'exports.a = 1\n',
    [`${AGENTS}/sup/config.ts`]: `import 'ball'\n${config(PLANNER)}`,
  })
  const listed = async (out?: string): Promise<unknown> => {
    const { output } = await buildProject({ path: root, ...(out !== undefined && { out }) })
    const { dependencies } = JSON.parse(readFileSync(join(output?.folder ?? '', 'package.json'), 'utf8'))
    expect(output?.dependencies).toEqual(dependencies)
    return dependencies.ball
  }
  expect(await listed()).toBe('file:../../vendor/ball-1.0.0.tgz')
  expect(await listed(join(root, 'served'))).toBe('file:../vendor/ball-1.0.0.tgz')
  // Who moves the output is told, and it is no warning.
  symlinkSync(join(NODE_MODULES, '@retinue'), join(root, 'node_modules/@retinue'))
  const cli = spawnSync(process.execPath, [...CLI, 'build', '--strict'], { cwd: root, encoding: 'utf8' })
  expect([cli.status, cli.stdout]).toEqual([
    0,
    expect.stringMatching(/^If it is moved, take along .*: \.\.\/\.\.\/vendor\/ball-1\.0\.0\.tgz \(ball\)$/m),
  ])
})

test('R17 secrets and what lies outside are not taken along; what package.json names is', async () => {
  const reading = (url: string): string => {
    return `import { readFileSync } from 'node:fs'\nexport const read = () => readFileSync(new URL('${url}', import.meta.url))\n${config(PLANNER)}`
  }
  const secret = { ...FILES, '.env': 'KEY=c4n4ry-17', [`${AGENTS}/sup/config.ts`]: reading('../../../../.env') }
  await expect(buildProject({ path: cliProject(secret) })).rejects.toMatchObject({ code: 'build-file-refused' })
  const open = `const here = new URL('../../../../', import.meta.url)\nvoid here\n${config(PLANNER)}`
  const included = {
    ...FILES,
    'package.json': '{"type":"module","retinue":{"include":["corpus/"]}}',
    'corpus/a.txt': 'kept',
    'corpus/.env.local': 'KEY=c4n4ry-17',
    'corpus/.env.example': 'KEY=',
    [`${AGENTS}/sup/config.ts`]: open,
  }
  const { output, missing } = await buildProject({ path: cliProject(included) })
  expect(missing).toEqual({ open: [], unfollowed: [], unordered: [], left: ['corpus/.env.local'] })
  const bytes = builtFiles(output?.folder ?? '')
  expect([bytes['files/corpus/a.txt'], bytes['files/corpus/.env.example']]).toEqual(['kept', 'KEY='])
  expect(Object.values(bytes).some((text) => text.includes('c4n4ry-17'))).toBe(false)
  const silent = { ...FILES, [`${AGENTS}/sup/config.ts`]: open }
  expect((await buildProject({ path: cliProject(silent) })).missing.open).toEqual([`${AGENTS}/sup/config.ts`])
  const around = cliProject({ 'outside.txt': 'c4n4ry-17' })
  const inside = join(around, 'app')
  writeFiles(inside, { ...FILES, 'package.json': '{"type":"module","retinue":{"include":["../outside.txt"]}}' })
  symlinkSync(NODE_MODULES, join(inside, 'node_modules'))
  await expect(buildProject({ path: inside })).rejects.toMatchObject({ code: 'build-include-invalid' })
})
