import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import { InMemoryStorage } from '@retinue/core/storage'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { makeProject } from '../../test-support/chat-project.ts'
import { CLI, type Outcome } from '../../test-support/cli-project.ts'
import { UsageError } from '../command.ts'
import tasksCommand from '../commands/tasks.ts'
import { LOCAL_RESOURCE } from '../run/default-storage.ts'
import { type OpenedApplication, openApplication } from '../run/open-application.ts'
import { runAgent } from '../run/run-agent.ts'
import { tellFailure } from '../run/tell-outcome.ts'
import { answerTask } from './answer-task.ts'
import { cancelTask } from './cancel-task.ts'
import { findTask } from './find-task.ts'
import { followTask } from './follow-task.ts'
import type { FoundTask, TasksOptions } from './found-task.ts'
import { listTasks } from './list-tasks.ts'
import { sendToTask } from './send-to-task.ts'
import { showTask } from './show-task.ts'

vi.setConfig({ testTimeout: 60_000 })

const project = makeProject({ background: true })
let opened: OpenedApplication
beforeAll(async () => {
  opened = await openApplication({ cwd: project.path, err: () => {} })
}, 60_000)
afterAll(async () => {
  await opened.close()
  project.remove()
})

/** The command line in a process of its own. */
function retinue(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = execFile(process.execPath, [...CLI, ...args], { cwd: project.path, env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

/** A part of it in this process, over the storage that all processes of the project share. */
async function here(work: (options: TasksOptions) => Promise<number>, json = false): Promise<Outcome> {
  const told = { out: '', err: '' }
  const options: TasksOptions = {
    cwd: project.path,
    json,
    color: false,
    out: (text) => {
      told.out += text
    },
    err: (text) => {
      told.err += text
    },
  }
  const code = await work(options).catch((error: unknown) => tellFailure(error, options))
  return { code, ...told }
}

const on = (given: string, work: (found: FoundTask, options: TasksOptions) => Promise<number>, json = false) =>
  here(async (options) => work({ task: await findTask(opened.app, given), ...opened }, options), json)

const list = (more: Partial<Parameters<typeof listTasks>[1]> = {}, json = false) =>
  here((options) => listTasks(opened.app, { ...options, ...more }), json)

/** The tasks that stand so, as `--json` prints them. */
async function listed(status: 'completed' | 'running'): Promise<{ taskId: string; threadId: string }[]> {
  const { tasks, total } = JSON.parse((await list({ status }, true)).out)
  expect(total).toBe(tasks.length)
  return tasks
}

/** A run whose only task waits for a person, and the id of the task. */
async function waiting(request: string): Promise<{ taskId: string; runId: string }> {
  const memory = { thread: `thread of ${request}`, resource: LOCAL_RESOURCE }
  const lead = opened.agents['lead']
  const result = await lead?.generate(request, { memory, untilIdle: true })
  expect(result?.finishReason).toBe('suspended')
  const { items } = await opened.app.tasks.list({ status: 'suspended' })
  return { taskId: items.at(-1)?.taskId ?? '', runId: result?.runId ?? '' }
}

/** What the tool of the project really did, over all processes. */
function felled(): string[] {
  const file = join(project.path, 'felled.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

const NEVER = new AbortController().signal

test('B9.2 run stays until it is idle, shows a task as it begins and ends, and reports it; then it is listed, shown and followed', async () => {
  const { code, out, err } = await here((options) =>
    runAgent({ ...options, agent: 'lead', request: 'delegate it', json: true }),
  )
  expect(code, err).toBe(0)
  expect(err.replace(/[\d.]+ m?s\b/g, 'T').replace(/task \w{8}/g, 'task ID')).toBe(`● lead
├─ model fixture/lead
├─ ◌ task ID  scout  in the background
├─ ▶ scout  delegate it
│  ├─ model fixture/scout
│  ├─ ✔ peek  {"at":"north"}  T
├─ ✔ scout  completed  T  240 tokens
├─ ✔ task ID  scout  completed  T
✔ lead  stop  T  600 tokens
`)
  const report = JSON.parse(out)
  expect(report).toMatchObject({
    finishReason: 'stop',
    text: 'The scout is on its way.\n\nLead was told: Scout saw: delegate it',
    toolCalls: [],
    delegations: [{ path: ['lead', 'scout'], status: 'completed', toolCalls: [{ toolName: 'peek' }] }],
    tasks: [{ path: ['lead'], toolName: 'scout', status: 'completed', taskId: expect.any(String) }],
  })
  const { taskId } = report.tasks[0]

  expect(await listed('completed')).toMatchObject([{ taskId, threadId: report.threadId }])
  const table = await list({ all: true, threadId: report.threadId })
  expect(table.out).toMatch(new RegExp(`^TASK .*\n${taskId} .* completed +lead +scout +1 +run-\\S+ +at \\S+ \\S+\n$`))
  for (const more of [{ status: 'failed' as const }, { all: true, resourceId: 'ada' }])
    expect(await list(more)).toMatchObject({ code: 0, out: '', err: 'There is no such background task.\n' })
  expect((await list()).err).toBe(
    'Nothing goes on in the background. "retinue tasks --all" lists what has ended, too.\n',
  )
  const shown = await on(taskId.slice(0, 9), showTask)
  expect(shown.out).toMatch(
    /\nended +.*\ntold +.*\n[\s\S]*given:\n {2}prompt: delegate it\ngave:\nScout saw: delegate it\n$/,
  )
  const followed = await on(taskId, (found, options) => followTask(found, { ...options, signal: NEVER }))
  expect(followed).toEqual({
    code: 0,
    out: 'Scout saw: delegate it\n',
    err: `├─ ✔ task ${taskId.slice(0, 8)}  scout  completed\n`,
  })
})

test('B9.5 B9.2 run ends with 5 where only a task waits; another process lists it and decides by the run', async () => {
  const begun = await retinue('run', 'lead', 'delegate fell oak')
  expect(begun.code, begun.err).toBe(5)
  const [, runId = ''] = /A call waits for a person in the run (\S+):/.exec(begun.err) ?? []
  const before = await list()
  expect(before.out).toMatch(
    /^TASK .*\n\S+ +\S+ \S+ +suspended +lead +scout +1 +run-\S+ +asks: fell \{"tree":"delegate fell oak"\}\n$/,
  )
  // The call need not be named, though the run itself asked nothing.
  const approved = await retinue('approvals', 'approve', runId)
  expect([approved.code, approved.out], approved.err).toEqual([
    0,
    'The scout is on its way.\n\nLead was told: Scout is done: delegate fell oak\n',
  ])
  expect(felled()).toEqual(['delegate fell oak'])
})

test('B9.5 a task that waits is shown with what it asks, and is answered by its id', async () => {
  const fell = await waiting('delegate fell elm')
  const shown = await on(fell.taskId.slice(0, 12), showTask)
  expect(shown.out).toMatch(
    new RegExp(
      `^task +${fell.taskId}\nis +suspended\nruns +scout\nby +lead\ntries +1\n[\\s\\S]*given:\n  prompt: delegate fell elm\n◇ lead › scout wants to run fell\n  tree: delegate fell elm\n$`,
    ),
  )
  const asJson = JSON.parse((await on(fell.taskId, showTask, true)).out)
  expect(asJson).toMatchObject({ taskId: fell.taskId, status: 'suspended', questions: [{ toolName: 'fell' }] })
  const answer = (taskId: string, data: unknown, json = false): Promise<Outcome> =>
    on(taskId, (found, options) => answerTask(found, { ...options, data }), json)
  const wrong = await answer(fell.taskId, 'yes')
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^error\[decision-invalid\]: /)])
  const leaving = new AbortController()
  const left = await on(fell.taskId, (found, options) => {
    const err = (text: string): void => {
      options.err(text)
      if (text.startsWith('A call waits')) leaving.abort()
    }
    return followTask(found, { ...options, signal: leaving.signal, err })
  })
  expect(left.code).toBe(130)
  expect(left.err).toMatch(
    /^├─ ◇ task \w{8} {2}scout {2}waits for a person\nA call waits for a person in the run [\s\S]*approvals approve [\s\S]*\nThe task goes on without you: "retinue tasks follow \S+" shows it again\.\n$/,
  )

  const { taskId } = await waiting('delegate where')
  const answered = await answer(taskId.slice(0, 10), { left: true }, true)
  expect(answered.code, answered.err).toBe(0)
  expect(JSON.parse(answered.out)).toMatchObject({
    agent: 'lead',
    finishReason: 'stop',
    text: expect.stringContaining('Lead was told: Scout asked: {"left":true}'),
  })
  const ended = /^error\[task-ended\]: .* it is completed\.\n {2}= fix: "retinue tasks show /
  for (const late of [
    await answer(taskId, 1),
    await on(taskId, (found, options) => cancelTask(found, options)),
    await on(taskId, (found, options) => sendToTask(found, { ...options, text: 'hi' })),
  ])
    expect([late.code, late.out, late.err]).toEqual([1, '', expect.stringMatching(ended)])
})

/** A process that works on a task which never ends by itself, and the id of the task. */
async function working(): Promise<{ child: ChildProcess; taskId: string; ended: Promise<Outcome> }> {
  const env = { ...process.env, NO_COLOR: '1' }
  const child = spawn(process.execPath, [...CLI, 'run', 'lead', 'delegate hang'], { cwd: project.path, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const told = { out: '', err: '' }
  const busy = Promise.withResolvers<void>()
  child.stdout.on('data', (chunk) => {
    told.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    told.err += chunk
    if (told.err.includes('✔ peek')) busy.resolve()
  })
  const ended = new Promise<Outcome>((resolve) => child.on('close', (code) => resolve({ code, ...told })))
  await Promise.race([busy.promise, ended])
  return { child, taskId: (await listed('running')).at(-1)?.taskId ?? '', ended }
}

test('B9.5 a task of another process is spoken to, followed by its states, and cancelled, which that process heeds', async () => {
  const [first, second] = await Promise.all([working(), working()])
  const { taskId } = second
  const sent = await on(taskId, (found, options) => sendToTask(found, { ...options, text: 'hurry' }), true)
  expect([sent.code, JSON.parse(sent.out)]).toEqual([0, { taskId, sent: true }])
  const empty = await on(taskId, (found, options) => sendToTask(found, { ...options, text: ' ' }))
  expect([empty.code, empty.err]).toEqual([1, expect.stringMatching(/^error\[option-invalid\]/)])

  const following = on(taskId, (found, options) => followTask(found, { ...options, signal: NEVER }), true)
  const cancelled = await on(taskId, (found, options) => cancelTask(found, { ...options, reason: 'enough' }))
  expect(cancelled).toEqual({ code: 0, out: '', err: `The task ${taskId} is cancelled.\n` })
  const { code, out } = await following
  const chunks = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; payload: object })
  expect(code).toBe(1)
  expect(chunks.at(-1)).toMatchObject({ type: 'background-task-cancelled', payload: { taskId, reason: 'enough' } })
  expect((await list({ status: 'cancelled' })).out).toMatch(/ cancelled .* enough\n$/)

  // Of the two processes that work, one loses its task; the other is interrupted.
  const ended = await Promise.race([first.ended, second.ended])
  expect([ended.code, ended.out]).toEqual([0, 'The scout is on its way.\n\nLead was told: It has no result: enough\n'])
  expect(ended.err).toMatch(/├─ ■ task \w{8} {2}scout {2}cancelled {2}.* {2}enough\n/)
  for (const { child } of [first, second]) child.kill('SIGINT')
  const [a, b] = await Promise.all([first.ended, second.ended])
  const interrupted = a === ended ? b : a
  expect([interrupted.code, interrupted.err]).toEqual([
    130,
    expect.stringMatching(/■ task \w{8} {2}scout {2}cancelled .*aborted/),
  ])
  expect(await listed('running')).toEqual([])
})

test('B9.5 an id that nobody knows, or that several begin with, is an error with a hint; nothing is no beginning', async () => {
  const unknown = await on('no\u001b[2Jpe', showTask)
  expect(unknown).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^error\[task-not-found\]: .*"nope".*\n {2}= fix: "retinue tasks --all"/),
  })
  expect((await on('', cancelTask, true)).out).toContain('"task-not-found"')

  const { tasks } = new InMemoryStorage()
  const facts = { rootRunId: 'r', parentTree: 'r', parentRunId: 'r', tells: 'run', agentId: 'a', path: ['a'] } as const
  for (const taskId of ['ab1', 'ab2', 'b'])
    await tasks.create({ ...facts, taskId, toolName: 't', toolCallId: 'c', args: {}, terms: {}, at: 1 })
  const app = { tasks } as unknown as Parameters<typeof findTask>[0]
  expect(await findTask(app, 'ab2')).toMatchObject({ taskId: 'ab2' })
  const several = await findTask(app, 'ab').catch((error: unknown) => error)
  expect(several).toBeInstanceOf(RetinueError)
  expect(several).toMatchObject({ code: 'task-ambiguous', message: expect.stringContaining('ab1, ab2') })
})

test.each([
  [['nope'], 'there is no action "nope"'],
  [['show'], 'it is written "retinue tasks show ID"'],
  [['send', 'x'], 'it is written "retinue tasks send ID TEXT"'],
  [['list', '--reason', 'x'], '"--reason" goes with cancel'],
  [['show', 'x', '--all'], '"--all" goes with list'],
  [['--status', 'done'], 'there is no state "done"; known are pending, running'],
  [['--all', '--status', 'failed'], 'list different tasks'],
])('retinue tasks %j is a slip', async (args, message) => {
  const slip = await tasksCommand.run(args).catch((error: unknown) => error)
  expect(slip).toBeInstanceOf(UsageError)
  expect(slip).toMatchObject({ message: expect.stringContaining(message) })
})
