import { expect, onTestFinished, test, vi } from 'vitest'
import { makeProject } from '../../test-support/chat-project.ts'
import { cliProject, writeFiles } from '../../test-support/cli-project.ts'
import { fireSchedule } from './fire-schedule.ts'
import { listSchedules, showScheduleLog } from './list-schedules.ts'
import type { SchedulesOptions } from './with-schedules.ts'

// Each of them checks the project in a process of its own.
vi.setConfig({ testTimeout: 60_000 })

const AGENTS = 'src/retinue/agents'

function opened(cwd: string, json = false): { options: SchedulesOptions; said: () => string[] } {
  let out = ''
  let err = ''
  const options = {
    cwd,
    json,
    color: false,
    out: (text: string) => (out += text),
    err: (text: string) => (err += text),
  }
  return { options: options as unknown as SchedulesOptions, said: () => [out, err] }
}

test('B11.2 retinue schedules: listed, fired by hand, and looked back at', async () => {
  const cwd = cliProject({
    [`${AGENTS}/desk/agent.md`]: '---\nmodel: offline/echo\n---\nWork.\n',
    [`${AGENTS}/desk/schedules/daily.md`]: '---\ncron: 0 9 * * *\n---\nSum up the day.\n',
    [`${AGENTS}/desk/schedules/broken.ts`]:
      "export default { cron: '0 9 * * *', timeZone: 'Europe/Paris', handler: () => { throw new Error('no news') } }\n",
  })
  const before = opened(cwd)
  expect(await listSchedules(before.options)).toBe(0)
  expect(before.said()[0]).toMatch(
    /^SCHEDULE +CRON +TIME ZONE +NEXT \(UTC\) +LAST\ndesk\/broken +0 9 \* \* \* +Europe\/Paris .* none\n/,
  )

  const fired = opened(cwd)
  expect(await fireSchedule({ ...fired.options, name: 'desk/daily' })).toBe(0)
  expect(fired.said()[0]).toContain('Sum up the day.')
  expect(fired.said()[1]).toMatch(/^schedule desk\/daily: begins\nschedule desk\/daily: completed in \d+ ms\n$/)
  expect(await fireSchedule({ ...opened(cwd).options, name: 'desk/broken' })).toBe(1)

  const log = opened(cwd, true)
  expect(await showScheduleLog({ ...log.options, name: 'desk/broken' })).toBe(0)
  expect(JSON.parse(log.said()[0] ?? '')).toMatchObject({
    outcomes: [{ by: 'hand', outcome: 'failed', error: { message: 'no news' } }],
  })
})

test('B11.13 retinue schedules fire: what works in the background is waited for, and answered', async () => {
  const { path, remove } = makeProject({ background: true })
  onTestFinished(remove)
  writeFiles(path, { [`${AGENTS}/lead/schedules/look.md`]: '---\ncron: 0 9 * * *\n---\ndelegate it\n' })
  const fired = opened(path)
  expect(await fireSchedule({ ...fired.options, name: 'lead/look' })).toBe(0)
  expect(fired.said()[0]).toMatch(/Lead was told: .*Scout saw: delegate it/)
})

test('B11.13 retinue schedules fire: what a handler does not wait for is waited for, and its exit code is that of what went wrong', async () => {
  const cwd = cliProject({
    [`${AGENTS}/desk/agent.md`]: '---\nmodel: offline/echo\n---\nWork.\n',
    [`${AGENTS}/desk/schedules/slips.ts`]:
      "export default { cron: '0 9 * * *', handler: ({ run }) => { run('Sum up.') } }\n",
  })
  const fired = opened(cwd)
  expect(await fireSchedule({ ...fired.options, name: 'desk/slips', model: 'nobody/none' })).toBe(3)
  expect(fired.said()[1]).toMatch(/schedule desk\/slips: failed: .*nobody/)
  const { options, said } = opened(cwd)
  await expect(fireSchedule({ ...options, name: 'desk/nightly' })).resolves.toBe(1)
  expect(said()[1]).toContain('Its schedules are desk/slips.')
})
