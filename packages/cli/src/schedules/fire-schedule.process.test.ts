import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CLI, cliProject } from '../../test-support/cli-project.ts'
import { startDev } from '../../test-support/dev.ts'
import { listSchedules } from './list-schedules.ts'

vi.setConfig({ testTimeout: 30_000 })

const AGENTS = 'src/retinue/agents'

/** A schedule that says when it has begun, and ends with its signal or never. It waits for nothing that keeps a process alive. */
function heldProject(heed: boolean): string {
  const end = heed
    ? `abortSignal.addEventListener('abort', () => reject(abortSignal.reason))`
    : 'void [abortSignal, reject]'
  return cliProject({
    [`${AGENTS}/desk/agent.md`]: '---\nmodel: offline/echo\n---\nWork.\n',
    [`${AGENTS}/desk/schedules/held.ts`]: `export default {
  cron: '0 0 1 1 *',
  handler: ({ abortSignal }) => new Promise((_resolve, reject) => {
    ${end}
    process.stderr.write('it has begun\\n')
  }),
}
`,
  })
}

/** Whether it counts as running, and what came of its times. */
async function kept(
  cwd: string,
): Promise<{ isRunning: boolean; outcomes: readonly { outcome: string; by: string }[] }> {
  let out = ''
  const hear = (text: string): void => {
    out += text
  }
  await listSchedules({ cwd, json: true, color: false, out: hear, err: () => {} })
  return JSON.parse(out).schedules[0]
}

test.each([
  ['SIGINT', true, 130],
  ['SIGINT', false, 130],
  ['SIGTERM', true, 1],
] as const)(
  'B11.13 retinue schedules fire: the first %s aborts it (heeds it: %s), and that is kept',
  async (signal, heed, code) => {
    const cwd = heldProject(heed)
    const child = spawn(process.execPath, [...CLI, 'schedules', 'fire', 'desk/held', '--json'], { cwd })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => {
      if (String(chunk).includes('it has begun')) child.kill(signal)
    })
    expect([(await once(child, 'close'))[0], JSON.parse(out)]).toEqual([code, { ran: true, outcome: 'aborted' }])
    expect(await kept(cwd)).toMatchObject({ isRunning: false, outcomes: [{ outcome: 'aborted', by: 'hand' }] })
  },
)

test('B11.13 Ctrl-C on dev: what pays no heed to it is kept as aborted, not as running', async () => {
  const cwd = heldProject(false)
  const dev = await startDev(cwd)
  void fetch(`${dev.url}/api/schedules/desk/held/fire`, { method: 'POST' }).catch(() => {})
  await vi.waitFor(async () =>
    expect(await dev.get('/api/schedules')).toMatchObject({ schedules: [{ isRunning: true }] }),
  )
  await dev.stop()
  expect(await kept(cwd)).toMatchObject({ isRunning: false, outcomes: [{ outcome: 'aborted', by: 'hand' }] })
})

test.each([
  ['ends the process', 'process.exit(0)', 'stray-exit', /is running for the first time/],
  [
    'throws where nobody can see to it',
    "new Promise(() => setTimeout(() => { throw new Error('late') }, 1))",
    'stray-exception',
    /aborted/,
  ],
])('B11.13 retinue schedules fire: a handler that %s is told, and that is no success', async (_, work, code, log) => {
  const cwd = cliProject({
    [`${AGENTS}/desk/agent.md`]: '---\nmodel: offline/echo\n---\nWork.\n',
    [`${AGENTS}/desk/schedules/odd.ts`]: `export default { cron: '0 0 1 1 *', handler: () => ${work} }\n`,
  })
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...CLI, 'schedules', ...args], {
      cwd,
      encoding: 'utf8',
    })
    return { status, text: stdout + stderr }
  }
  const fired = run('fire', 'desk/odd')
  expect([fired.status, fired.text]).toEqual([1, expect.stringContaining(code)])
  expect(run('log', 'desk/odd').text).toMatch(log)
})
