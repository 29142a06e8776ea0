import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LibSQLStore } from '@retinue/libsql'
import { afterEach, expect, test } from 'vitest'
import { chunksOf, StreamReader, type TestChunk } from '../../test-support/read-stream.ts'
import { createClient, type RootView } from '../client/index.ts'

const children: ChildProcess[] = []
const folders: string[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const PROGRAM = join(import.meta.dirname, '../../test-support/serving-process.ts')

/** A server in a process of its own. */
async function serving(url: string, mode: 'held' | 'free'): Promise<{ child: ChildProcess; base: string }> {
  const child = spawn(process.execPath, ['--conditions=@retinue/source', PROGRAM, url, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [port] = await new Promise<string[]>((resolve) =>
    child.stdout?.once('data', (data) => resolve(String(data).split('\n'))),
  )
  return { child, base: `http://127.0.0.1:${port}` }
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

function textOf(chunks: readonly TestChunk[]): string {
  return chunks.flatMap(({ type, payload }) => (type === 'text-delta' ? [payload['text']] : [])).join('')
}

test('R09 B7.4 a stream is resumed by Last-Event-ID after a kill -9: what was told is not told again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'retinue-server-'))
  folders.push(folder)
  const url = `file:${join(folder, 'app.db')}`
  const first = await serving(url, 'held')
  const begun = await fetch(`${first.base}/api/agents/sup/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Go.' }),
  })
  const reader = new StreamReader(begun)
  const result = await reader.until('tool-result')
  // Some of the next step was told; who died over it told it in vain.
  const lost = await reader.until('text-delta')
  expect(JSON.parse(lost.data).payload.text).toBe('Lost')
  const store = new LibSQLStore({ id: 's', url })
  const { runId } = JSON.parse(result.data)
  // It was written down.
  for (let kept = ''; !kept.includes('Lost'); ) kept = JSON.stringify((await store.runs.listEvents({ runId })).items)
  await store.close()
  await killed(first.child)
  await reader.rest().catch(() => {})
  const second = await serving(url, 'free')
  const events = (id: string | undefined) =>
    fetch(`${second.base}/api/runs/${runId}/events`, {
      headers: { accept: 'text/event-stream', ...(id === undefined ? {} : { 'last-event-id': id }) },
    })
  const rest = await chunksOf(await events(lost.id))
  expect(rest[0]?.type).toBe('start')
  expect(textOf(rest)).toBe('Second.')
  expect(rest.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'stop' } } })
  expect(rest.some(({ type }) => type === 'tool-result')).toBe(false)
  // Who comes anew gets everything.
  const whole = await chunksOf(await events(undefined))
  expect(whole.filter(({ type }) => type === 'tool-result')).toHaveLength(1)
  expect(textOf(whole)).toBe('First.LostSecond.')
  // And a view of it knows what came of it.
  const client = createClient({ baseUrl: second.base })
  let last: RootView | undefined
  for await (const view of client.runs.events(runId).views()) last = view
  expect(last).toMatchObject({ status: 'finished', text: 'Second.' })
  expect(last?.items.map(({ type }) => type)).toEqual(['text', 'tool', 'text'])
})

test('R09 B9.7 a task goes on after a kill -9, and so does the run that waits for it: both are found again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'retinue-server-'))
  folders.push(folder)
  const url = `file:${join(folder, 'app.db')}`
  const first = await serving(url, 'held')
  const begun = await fetch(`${first.base}/api/agents/lead/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Go.' }),
  })
  const reader = new StreamReader(begun)
  const told = JSON.parse((await reader.until('background-task-running')).data) as TestChunk
  await reader.until('text-end')
  const taskId = String(told.payload['taskId'])
  const store = new LibSQLStore({ id: 's', url })
  const { runId } = told
  for (let kept = ''; !kept.includes('background-task-running'); )
    kept = JSON.stringify((await store.runs.listEvents({ runId })).items)
  await store.close()
  await killed(first.child)
  await reader.rest().catch(() => {})
  const second = await serving(url, 'free')
  const client = createClient({ baseUrl: second.base })
  const types: string[] = []
  for await (const {
    chunk: { type },
  } of client.tasks.events(taskId))
    types.push(type)
  expect(types.at(-1)).toBe('background-task-completed')
  expect(await client.tasks.get(taskId)).toMatchObject({ status: 'completed', attempts: 1, result: { text: 'ZEBRA' } })
  let last: RootView | undefined
  for await (const view of client.runs.events(runId).views()) last = view
  expect(last).toMatchObject({ status: 'finished', text: 'Found.', tasks: [{ taskId }] })
  expect((await client.runs.list()).runs).toMatchObject([{ runId, agentId: 'lead', status: 'ended' }])
})
