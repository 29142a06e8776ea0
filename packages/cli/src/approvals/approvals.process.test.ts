import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeProject } from '../../test-support/chat-project.ts'
import { CLI, type Outcome } from '../../test-support/cli-project.ts'
import { runAgent } from '../run/run-agent.ts'
import { showLog } from './audit-log.ts'
import { cancelRun } from './cancel-run.ts'
import { decide } from './decide.ts'
import { listWaiting } from './list-waiting.ts'
import type { ApprovalsOptions } from './options.ts'

const project = makeProject()
afterAll(() => project.remove())

/** The command line in a process of its own. */
function retinue(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = execFile(process.execPath, [...CLI, ...args], { cwd: project.path, env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

/** A part of it in this process, which did not begin the run either. */
async function here(work: (options: ApprovalsOptions) => Promise<number>, json = false): Promise<Outcome> {
  const told = { out: '', err: '' }
  const code = await work({
    cwd: project.path,
    json,
    color: false,
    out: (text) => {
      told.out += text
    },
    err: (text) => {
      told.err += text
    },
  })
  return { code, ...told }
}

const run = (request: string, more: { json?: boolean; yes?: boolean } = {}): Promise<Outcome> =>
  here((options) => runAgent({ ...options, agent: 'lead', request, ...more }))

/** What the tool of the project really did, over all processes. */
function felled(): string[] {
  const file = join(project.path, 'felled.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

test('B7.3 a run that waits ends with 5 and its id; another process decides, once, and shows the rest', async () => {
  const begun = await retinue('run', 'lead', 'delegate fell oak and fell elm')
  expect([begun.code, begun.out], begun.err).toEqual([5, ''])
  const [, runId = ''] = /wait for a person in the run (\S+):/.exec(begun.err) ?? []
  const [, toolCallId = ''] = new RegExp(`retinue approvals approve ${runId} (\\S+)`).exec(begun.err) ?? []
  expect(begun.err).toContain('◇ lead › scout wants to run fell\n  tree: delegate fell oak\n')

  const unnamed = await here((options) => decide({ ...options, runId, verdict: { type: 'approve' } }))
  expect([unnamed.code, unnamed.err]).toEqual([1, expect.stringContaining('error[approval-ambiguous]')])

  const approved = await retinue('approvals', 'approve', runId, toolCallId)
  expect(approved.code, approved.err).toBe(5)
  expect(approved.err).toContain(`A call waits for a person in the run ${runId}:`)
  expect(felled()).toEqual(['delegate fell oak'])

  // The other call is the only one that waits: it need not be named.
  const verdict = { type: 'decline', reason: 'too young' } as const
  const declined = await here((options) => decide({ ...options, runId, verdict }), true)
  expect(declined.code).toBe(0)
  expect(JSON.parse(declined.out)).toMatchObject({
    runId,
    agent: 'lead',
    finishReason: 'stop',
    text: 'Lead has the answer of the scout.',
    threadId: expect.stringMatching(/^run-/),
    delegations: [{ toolCalls: [{ toolName: 'fell', declined: expect.stringContaining('too young') }] }],
  })
  expect(felled()).toEqual(['delegate fell oak'])

  const late = await here((options) => decide({ ...options, runId, verdict: { type: 'approve' } }))
  expect([late.code, late.out]).toEqual([1, ''])
  expect(late.err).toMatch(/^error\[approval-decided\]: .*\n {2}= fix: .*retinue approvals log /)
  expect(felled()).toEqual(['delegate fell oak'])
})

test('B7.2 what waits is listed, decided with other arguments, and who decided what is kept', async () => {
  const begun = await run('delegate fell yew', { json: true })
  expect(begun.code).toBe(5)
  const { runId, finishReason, pendingCalls } = JSON.parse(begun.out)
  expect([finishReason, pendingCalls]).toEqual([
    'suspended',
    [expect.objectContaining({ toolName: 'fell', path: ['lead', 'scout'], requiresApproval: true })],
  ])
  const listed = await here(listWaiting, true)
  expect(JSON.parse(listed.out)).toMatchObject({ total: 1, runs: [{ runId, toolCalls: pendingCalls }] })

  const wrong = { type: 'approve', args: { tree: 1 } } as const
  const refused = await here((options) => decide({ ...options, runId, verdict: wrong }))
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('error[decision-invalid]')])
  const edited = { type: 'approve', args: { tree: 'ash' } } as const
  expect(await here((options) => decide({ ...options, runId, verdict: edited }))).toMatchObject({ code: 0 })
  expect(felled().at(-1)).toBe('ash')
  const log = await here((options) => showLog({ ...options, runId }))
  expect(log.out).toMatch(/^ASKED .*\n.* lead › scout {2}fell {2}done {2}\S+ .* edited: \{"tree":"ash"\}\n$/)
})

test('B7.2 a run that waits can be cancelled; then nothing waits', async () => {
  const [, runId = ''] = /person in the run (\S+):/.exec((await run('delegate fell yew')).err) ?? []
  const before = await here(listWaiting)
  expect(before.out).toMatch(
    new RegExp(`^RUN .*\n${runId} .* lead › scout {2}fell {2}\\{"tree":"delegate fell yew"\\}\n$`),
  )
  expect(await here((options) => cancelRun({ ...options, runId }))).toMatchObject({ code: 0 })
  expect(await here(listWaiting)).toMatchObject({ code: 0, out: '', err: 'Nothing waits for a person.\n' })
})

test('B7.1 a suspended tool is answered; --yes can’t answer it', async () => {
  const begun = await run('which way', { yes: true })
  expect([begun.code, begun.err]).toEqual([5, expect.stringContaining('◇ lead: ask_way wants an answer\n')])
  const [, runId = ''] = /person in the run (\S+):/.exec(begun.err) ?? []
  const answered = await here((options) => decide({ ...options, runId, verdict: { type: 'answer', data: false } }))
  expect(answered).toMatchObject({ code: 0, out: 'Which: false\n' })
})

test('B7.2 --yes approves every call, and shows each before it runs', async () => {
  const before = felled().length
  const { code, out, err } = await run('delegate fell fir and fell pine', { yes: true })
  expect([code, out]).toEqual([0, 'Lead has the answer of the scout.\n'])
  expect(felled().slice(before).sort()).toEqual(['delegate fell fir', 'fell pine'])
  expect(err).toMatch(
    /tree: delegate fell fir\n✔ fell {2}approved by \S+, as --yes says\n[\s\S]*tree: fell pine\n✔ fell {2}approved by/,
  )
})

test('a run that nobody knows is an error with a hint', async () => {
  const { code, err } = await here((options) => cancelRun({ ...options, runId: 'nope' }))
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^error\[run-not-found\]: .*"nope".*\n {2}= fix: "retinue approvals"/),
  ])
})
