import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CLI, cliProject, writeFiles } from '../../test-support/cli-project.ts'
import { startDev } from '../../test-support/dev.ts'
import { isAlive } from '../../test-support/is-alive.ts'
import { ask, emptyFolder, serving } from '../../test-support/output.ts'

// Each version is a process, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

const AGENTS = 'src/retinue/agents'

function config(description: string, model = 'offline/planner'): string {
  return `import { agentConfig } from '@retinue/core/agent'\nexport default agentConfig({ model: '${model}', description: ${description} })\n`
}

function agent(name: string, description: string): Record<string, string> {
  return { [`${AGENTS}/${name}/config.ts`]: config(description), [`${AGENTS}/${name}/instructions.md`]: 'Work.\n' }
}

const RELOADED = /reloaded in \d+ ms {2}\(version \d+\)\n/
const KEPT = /✖ not reloaded: version \d+ serves on\n/

test('B11.13 a save is live: edited, new and removed agents, tools and .env; one reload each; ten lines at the start', async () => {
  const root = cliProject({ ...agent('desk', "process.env.GREETING ?? 'first'"), ...agent('old', "'old'") })
  const dev = await startDev(root)
  await dev.until(/old {2}offline\/planner\n/)
  expect(dev.said().trimEnd().split('\n').length).toBeLessThanOrEqual(10)
  expect(dev.said()).toMatch(/^(?:… it still loads[^\n]*\n)?retinue \d+\.\d+\.\d+ {2}ready in \d+ ms\n/)
  expect(await dev.state()).toEqual({ generation: 1, status: 'ok', findings: [] })

  writeFiles(root, { ...agent('desk', "'second'"), ...agent('fresh', "'new'") })
  rmSync(join(root, AGENTS, 'old'), { recursive: true })
  await dev.until(RELOADED)
  expect((await dev.agents()).map(({ key, description }) => [key, description])).toEqual([
    ['desk', 'second'],
    ['fresh', 'new'],
  ])

  const tool = `import { createTool } from '@retinue/core/tools'\nexport default createTool({ id: 'look', description: 'Looks.', execute: () => 'seen' })\n`
  writeFiles(root, { [`${AGENTS}/fresh/tools/look.ts`]: tool, ...agent('desk', "process.env.GREETING ?? 'third'") })
  await dev.until(RELOADED)
  expect(await dev.agents()).toMatchObject([{ description: 'third' }, { tools: [{ name: 'look' }] }])

  writeFileSync(join(root, '.env'), 'GREETING=from env\n')
  await dev.until(RELOADED)
  expect(await dev.agents()).toMatchObject([{ description: 'from env' }, {}])
  expect(dev.said().match(/reloaded in/g)).toHaveLength(3)
})

test('B11.13 broken, it shows its findings in the terminal and over HTTP, and the last good version serves on', async () => {
  const root = cliProject({ [`${AGENTS}/desk/config.ts`]: config("'good'") })
  const dev = await startDev(root)
  const missing = { generation: 0, status: 'broken', findings: [{ code: 'instructions-missing' }] }
  expect(await dev.state()).toMatchObject(missing)
  expect(await dev.agents()).toEqual([])
  writeFiles(root, { [`${AGENTS}/desk/instructions.md`]: 'Work.\n' })
  await dev.until(/desk {2}offline\/planner/)
  expect(await dev.agents()).toMatchObject([{ description: 'good' }])

  writeFiles(root, { [`${AGENTS}/desk/config.ts`]: 'export default agentConfig({\n' })
  expect(await dev.until(KEPT)).toContain('version 1')
  expect(dev.said()).toContain('error[syntax-error]')
  const syntax = { generation: 1, status: 'broken', findings: [{ code: 'syntax-error', line: 2 }] }
  expect(await dev.state()).toMatchObject(syntax)
  expect(await dev.agents()).toMatchObject([{ description: 'good' }])

  // What takes its process with it is told as `check` tells it.
  writeFiles(root, { [`${AGENTS}/desk/config.ts`]: `process.exit(3)\n${config("'gone'")}` })
  await dev.until(KEPT)
  expect(await dev.state()).toMatchObject({ status: 'broken', findings: [{ code: 'module-failed', line: 1 }] })
  expect(await dev.agents()).toMatchObject([{ description: 'good' }])

  writeFiles(root, agent('desk', "'mended'"))
  await dev.until(RELOADED)
  expect(await dev.state()).toEqual({ generation: 2, status: 'ok', findings: [] })
  expect(await dev.agents()).toMatchObject([{ description: 'mended' }])
})

test('B11.13 a project that is moved is told of, and one in its place is served, in its own folder', async () => {
  const root = cliProject(agent('desk', "'first'"))
  const aside = `${root}-aside`
  onTestFinished(() => rmSync(aside, { recursive: true, force: true }))
  const dev = await startDev(root)
  await dev.until(/desk {2}offline/)
  renameSync(root, aside)
  await dev.until(KEPT)
  expect(dev.said()).toContain(`the project's folder ${root} is not there: put it back`)
  expect(await dev.agents()).toMatchObject([{ description: 'first' }])
  cpSync(aside, root, { recursive: true, verbatimSymlinks: true })
  await dev.until(RELOADED)
  writeFiles(root, agent('desk', 'process.cwd()'))
  await dev.until(RELOADED)
  expect(await dev.agents()).toMatchObject([{ description: root }])

  // What waits for the next load was started in the folder that is moved now.
  renameSync(root, `${aside}/older`)
  cpSync(`${aside}/older`, root, { recursive: true, verbatimSymlinks: true })
  await dev.until(RELOADED)
  expect(await dev.agents()).toMatchObject([{ description: root }])
})

test('B11.13 a run in flight ends on its version, and then its process is gone; schedules can be fired by hand', async () => {
  const waiting = (answer: string): string => `import { existsSync, writeFileSync } from 'node:fs'
import { createTool } from '@retinue/core/tools'
export default createTool({
  id: 'fetch', description: 'Fetches the news of the day.',
  execute: async () => {
    writeFileSync('begun', String(process.pid))
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10))
    return '${answer}'
  },
})
`
  const root = cliProject({
    ...agent('desk', "'x'"),
    [`${AGENTS}/desk/tools/fetch.ts`]: waiting('news of version one'),
    [`${AGENTS}/desk/schedules/daily.ts`]: `import { createSchedule } from '@retinue/core/schedules'\nexport default createSchedule({ cron: '0 0 1 1 *', handler: () => {} })\n`,
  })
  const dev = await startDev(root)
  const answer = ask(dev.url, 'desk', 'Fetch the news of the day.')
  const pid = Number(await fileText(join(root, 'begun')))
  writeFiles(root, { [`${AGENTS}/desk/tools/fetch.ts`]: waiting('news of version two') })
  await dev.until(RELOADED)
  expect(isAlive(pid)).toBe(true)
  mkdirSync(join(root, 'go'))
  expect(await answer).toContain('news of version one')
  expect(await ask(dev.url, 'desk', 'Fetch the news of the day.')).toContain('news of version two')
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 })

  expect(await dev.get('/api/schedules')).toMatchObject({ schedules: [{ agent: 'desk', key: 'daily', outcomes: [] }] })
  const fired = await fetch(`${dev.url}/api/schedules/desk/daily/fire`, { method: 'POST' })
  expect([fired.status, await fired.json()]).toMatchObject([200, { ran: true, outcome: 'completed' }])
  expect((await fetch(`${dev.url}/api/schedules/desk/nightly/fire`, { method: 'POST' })).status).toBe(404)
  expect(await dev.get('/api/schedules')).toMatchObject({
    schedules: [{ outcomes: [{ outcome: 'completed', by: 'hand' }] }],
  })
})

test('R21 B11.13 what modules load and read outside the application folder is live, too', async () => {
  const outside = emptyFolder()
  const root = cliProject({ ...agent('desk', "'x'"), 'src/lib/data.json': '"data"' })
  const files = {
    data: [root, 'src/lib/data.json', (value: string) => JSON.stringify(value)],
    text: [root, 'src/lib/text.txt', (value: string) => value],
    common: [root, 'src/lib/inner.cjs', (value: string) => `module.exports = '${value}'`],
    linked: [outside, 'linked/text.txt', (value: string) => value],
    beyond: [outside, 'beyond.ts', (value: string) => `export const beyond: string = '${value}'`],
    lazy: [root, 'src/lib/lazy.ts', (value: string) => `export const lazy = '${value}'`],
  } as const
  const write = (name: keyof typeof files, value: string): void => {
    const [folder, path, text] = files[name]
    writeFiles(folder, { [path]: text(value) })
  }
  const names = Object.keys(files) as (keyof typeof files)[]
  for (const name of names) write(name, name)
  writeFiles(root, { 'src/lib/common.cjs': "module.exports = require('./inner.cjs')\n" })
  writeFiles(outside, {
    'linked/package.json': '{"name":"linked","type":"module","exports":"./index.js"}',
    'linked/index.js':
      "import { readFileSync } from 'node:fs'\nexport const linked = readFileSync(new URL('./text.txt', import.meta.url), 'utf8')\n",
  })
  mkdirSync(join(root, 'src/node_modules'))
  symlinkSync(join(outside, 'linked'), join(root, 'src/node_modules/linked'))
  writeFiles(root, {
    [`${AGENTS}/desk/config.ts`]: `import { readFileSync } from 'node:fs'
import { linked } from 'linked'
import { beyond } from '${relative(join(root, AGENTS, 'desk'), join(outside, 'beyond.ts'))}'
import common from '../../../lib/common.cjs'
import data from '../../../lib/data.json' with { type: 'json' }
const text = readFileSync(new URL('../../../lib/text.txt', import.meta.url), 'utf8')
const { lazy } = await import(['../../..', 'lib/lazy.ts'].join('/'))
${config("[data, text, common, linked, beyond, lazy].join(' ')")}`,
  })
  const dev = await startDev(root)
  const values = names.map(String)
  expect(await dev.agents()).toMatchObject([{ description: values.join(' ') }])
  for (const [at, name] of names.entries()) {
    values[at] = `${name}-2`
    write(name, `${name}-2`)
    await dev.until(RELOADED)
    expect(await dev.agents()).toMatchObject([{ description: values.join(' ') }])
  }
})

/** A port that somebody has. */
async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('B11.13 a port that is taken keeps the last good version serving, and where it moves to is told', async () => {
  const server = (port: number): string => `export default { port: ${port} }\n`
  const root = cliProject({ ...agent('desk', "'first'"), 'src/retinue/server.ts': server(0) })
  const dev = await startDev(root, { port: undefined })
  writeFiles(root, { ...agent('desk', "'second'"), 'src/retinue/server.ts': server(await takenPort()) })
  await dev.until(/error\[server-cannot-listen\]: .*it is taken[\s\S]*?✖ not reloaded: version 1 serves on\n/)
  expect(await dev.agents()).toMatchObject([{ description: 'first' }])
  expect(await dev.state()).toMatchObject({
    generation: 1,
    status: 'broken',
    problem: expect.stringContaining('server-cannot-listen'),
  })
  // What is no port at all is told without a stack.
  writeFiles(root, { 'src/retinue/server.ts': server(0), '.env': 'PORT=abc\n' })
  expect(await dev.until(/error: [\s\S]*?serves on\n/)).toBe(
    'error: PORT is "abc", and a port is a number from 0 to 65535\n✖ not reloaded: version 1 serves on\n',
  )
  writeFiles(root, { '.env': 'HOST=localhost\n' })
  const moved = await dev.until(/reloaded in \d+ ms {2}\(version 2\)\n {2}➜ {2}http:\/\/localhost:\d+\n/)
  const [url = ''] = /http\S+/.exec(moved) ?? []
  expect(await (await fetch(`${url}/api/agents`)).json()).toMatchObject({ agents: [{ description: 'second' }] })
  // Others can reach it only where they need a token, as they do of what is started.
  writeFiles(root, { '.env': 'HOST=0.0.0.0\n' })
  await dev.until(/error\[server-unprotected\][\s\S]*?✖ not reloaded: version 2 serves on\n/)
})

/** A tool that never lets anything else run, and says in a file which process it is. */
const LOOP = `import { writeFileSync } from 'node:fs'
import { createTool } from '@retinue/core/tools'
export default createTool({
  id: 'spin', description: 'Spins the wheel of the day.',
  execute: () => {
    writeFileSync('begun', String(process.pid))
    for (;;) {}
  },
})
`

const SPIN = 'Spin the wheel of the day.'

function loopingProject(): Record<string, string> {
  return { ...agent('desk', "'x'"), [`${AGENTS}/desk/tools/spin.ts`]: LOOP }
}

test('B11.13 dev that is killed leaves nothing: a version in a loop ends as well', async () => {
  const root = cliProject(loopingProject())
  const dev = await serving([...CLI, 'dev', root], { cwd: root })
  ask(dev.url, 'desk', SPIN).catch(() => {})
  const pid = Number(await fileText(join(root, 'begun')))
  expect(isAlive(pid)).toBe(true)
  await dev.end('SIGKILL')
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 })
})

test('B11.13 asked to end a second time, dev ends every process at once', async () => {
  const root = cliProject(loopingProject())
  const dev = await startDev(root)
  ask(dev.url, 'desk', SPIN).catch(() => {})
  const pid = Number(await fileText(join(root, 'begun')))
  dev.kill()
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 })
})

test('exit codes: dev ends with 0 where it is asked to stop, and with 130 where it is interrupted', async () => {
  const root = cliProject(agent('desk', "'x'"))
  for (const [signal, code] of [['SIGTERM', 0] as const, ['SIGINT', 130] as const]) {
    const dev = await serving([...CLI, 'dev', root], { cwd: root })
    expect(await dev.end(signal)).toBe(code)
  }
  const failed = await serving([...CLI, 'dev', root], { cwd: root, env: { PORT: 'abc' } }).catch(String)
  expect(failed).toMatch(
    /ended with 2 [^\n]*\nretinue dev: PORT is "abc", and a port is a number from 0 to 65535\. See/,
  )
})

test('B11.13 a version that hangs while it loads does not keep dev from ending', async () => {
  const root = cliProject(agent('desk', "'x'"))
  const dev = await startDev(root)
  const hanging = `import { writeFileSync } from 'node:fs'\nwriteFileSync('begun', String(process.pid))\nfor (;;) {}\n`
  writeFiles(root, { [`${AGENTS}/desk/config.ts`]: hanging })
  const pid = Number(await fileText(join(root, 'begun')))
  // It would have fifteen seconds.
  const start = performance.now()
  await dev.stop()
  expect(isAlive(pid)).toBe(false)
  expect(performance.now() - start).toBeLessThan(10_000)
})

const LATER = (work: string): string =>
  `import { existsSync } from 'node:fs'\nconst timer = setInterval(() => { if (!existsSync('now')) return\nclearInterval(timer); ${work} }, 10)\n`
const THROWS = LATER("throw new Error('the timer failed')")

test('B11.13 a version that ends by itself at once: why is told here and over HTTP, and the one before serves again', async () => {
  const root = cliProject(agent('desk', "'good'"))
  const dev = await startDev(root, { trialMs: 60_000 })
  for (const [work, why] of [
    [THROWS, /A callback threw, and nothing caught it: Error: the timer failed \(src\/\S+config\.ts:3\)/],
    [LATER('process.exit(3)'), /its process ended by itself \(exit code 1\)/],
  ] as const) {
    writeFiles(root, { [`${AGENTS}/desk/config.ts`]: work + config("'bad'") })
    await dev.until(RELOADED)
    expect(await dev.agents()).toMatchObject([{ description: 'bad' }])
    mkdirSync(join(root, 'now'))
    const said = await dev.until(/[\s\S]*✖ version \d did not live: version 1 serves again\n/)
    expect(said).toMatch(why)
    expect(await dev.state()).toMatchObject({ generation: 1, status: 'broken', problem: expect.stringMatching(why) })
    expect(await dev.agents()).toMatchObject([{ description: 'good' }])
    rmSync(join(root, 'now'), { recursive: true })
  }
  writeFiles(root, agent('desk', "'mended'"))
  await dev.until(RELOADED)
  expect(await dev.state()).toEqual({ generation: 4, status: 'ok', findings: [] })
})

test('B11.13 where no version lives, what is wrong is served, and none is said to serve', async () => {
  const root = cliProject({ ...agent('desk', "'x'"), [`${AGENTS}/desk/config.ts`]: THROWS + config("'x'") })
  const dev = await startDev(root, { trialMs: 60_000 })
  await dev.until(/desk/)
  mkdirSync(join(root, 'now'))
  await dev.until(/the timer failed[\s\S]*✖ version 1 did not live: nothing is served\n.*serves what is wrong/)
  const problem = expect.stringContaining('the timer failed')
  expect(await dev.state()).toMatchObject({ generation: 0, status: 'broken', problem })
  writeFiles(root, { [`${AGENTS}/desk/config.ts`]: `process.exit(3)\n${config("'x'")}` })
  await dev.until(/✖ not reloaded: nothing is served\n/)
  expect(await dev.state()).toMatchObject({ generation: 0, findings: [{ code: 'module-failed' }] })
  writeFiles(root, agent('desk', "'mended'"))
  await dev.until(RELOADED)
  expect(await dev.agents()).toMatchObject([{ description: 'mended' }])
})

test('B11.13 a version in which something throws later is started again, and runs of others in it end', async () => {
  const waits = `import { existsSync, writeFileSync } from 'node:fs'
import { createTool } from '@retinue/core/tools'
export default createTool({
  id: 'fetch', description: 'Fetches the news of the day.',
  execute: async () => {
    writeFileSync('begun', String(process.pid))
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10))
    return 'news'
  },
})
`
  const root = cliProject({
    ...agent('desk', "'x'"),
    [`${AGENTS}/desk/tools/fetch.ts`]: waits,
    [`${AGENTS}/desk/config.ts`]: THROWS + config("'x'"),
  })
  const dev = await startDev(root, { trialMs: 0 })
  const answer = ask(dev.url, 'desk', 'Fetch the news of the day.')
  const pid = Number(await fileText(join(root, 'begun')))
  mkdirSync(join(root, 'now'))
  await dev.until(/the timer failed[\s\S]*✖ version 1 is given up: it is started again\n/)
  rmSync(join(root, 'now'), { recursive: true })
  await dev.until(RELOADED)
  expect(await dev.state()).toEqual({ generation: 2, status: 'ok', findings: [] })
  mkdirSync(join(root, 'go'))
  expect(await answer).toContain('news')
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 })
})

test('B11.13 a save ends a version that hangs while it loads, after it was said that it still loads', async () => {
  const root = cliProject(agent('desk', "'x'"))
  const dev = await startDev(root)
  writeFiles(root, { [`${AGENTS}/desk/config.ts`]: `for (;;) {}\n${config("'hangs'")}` })
  await dev.until(/… it still loads: version 1 serves until it has; the next save starts anew\n/)
  const start = performance.now()
  writeFiles(root, agent('desk', "'mended'"))
  await dev.until(RELOADED)
  expect(await dev.agents()).toMatchObject([{ description: 'mended' }])
  // It would have fifteen seconds.
  expect(performance.now() - start).toBeLessThan(10_000)
})

async function fileText(path: string): Promise<string> {
  return vi.waitFor(
    () => {
      const text = readFileSync(path, 'utf8')
      if (text === '') throw new Error('nothing in it yet')
      return text
    },
    { timeout: 30_000, interval: 10 },
  )
}
