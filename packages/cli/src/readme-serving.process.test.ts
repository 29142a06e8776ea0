import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CLI, NODE_MODULES, writeFiles } from '../test-support/cli-project.ts'
import { ask, emptyFolder, serving } from '../test-support/output.ts'

// What the README says of serving. It starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

const ROOT = join(import.meta.dirname, '../../..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const QUESTION = 'What does Bhutan export?'

function fenced(info: string): string {
  return README.split(`\`\`\`${info}\n`)[1]?.split('```')[0] ?? ''
}

/** The arguments of `node` for a line of the README. */
function wordsOf(line: string): string[] {
  return line.startsWith('npx retinue') ? [...CLI, ...line.split(' ').slice(2)] : line.split(' ').slice(1)
}

test('the commands that it names to create, develop, build and serve', async () => {
  const cwd = join(emptyFolder(), 'example')
  cpSync(join(ROOT, 'examples/research-supervisor'), cwd, {
    recursive: true,
    filter: (path) => !/node_modules|\.retinue\b/.test(path),
  })
  symlinkSync(NODE_MODULES, join(cwd, 'node_modules'))
  const schedules = join(cwd, 'src/retinue/agents/research-supervisor/schedules')
  writeFiles(schedules, { 'daily.md': fenced('md schedule'), 'weekly.ts': fenced('ts schedule') })
  const [create = '', dev = '', build = '', start = '', node = ''] = fenced('sh serve').trim().split('\n')
  const run = (line: string): { status: number | null; stderr: string } =>
    // One that serves where it must not would never end.
    spawnSync(process.execPath, wordsOf(line), {
      cwd,
      encoding: 'utf8',
      timeout: 30_000,
      env: { ...process.env, OPENAI_API_KEY: '' },
    })
  expect(run(create).status).toBe(0)
  expect(existsSync(join(cwd, 'my-agents/src/retinue/agents'))).toBe(true)
  rmSync(join(cwd, 'my-agents'), { recursive: true })

  const developed = await serving(wordsOf(dev), { cwd, env: { OPENAI_API_KEY: '' } })
  expect(await ask(developed.url, 'research-supervisor', QUESTION)).toMatch(/Bhutan[\s\S]*No language model was used/)
  const listed = await (await fetch(`${developed.url}/api/schedules`)).json()
  expect(listed).toMatchObject({ schedules: [{ key: 'daily', timeZone: 'Europe/Paris' }, { key: 'weekly' }] })
  expect(await developed.end('SIGINT')).toBe(130)

  const { status, stderr } = run(build)
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('warning:')])
  expect(run(start)).toMatchObject({ status: 3, stderr: expect.stringContaining('OPENAI_API_KEY is not set') })
  const served = await serving(wordsOf(node), { cwd, env: { OPENAI_API_KEY: '' } })
  expect((await fetch(`${served.url}/readyz`)).status).toBe(200)
  expect(await served.end()).toBe(0)
})
