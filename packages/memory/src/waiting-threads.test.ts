import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { type Script, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Memory } from './memory.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const turns = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0))
const memory = { thread: 't', resource: 'ada' }
const asks = { calls: [{ id: 'a', name: 'act', args: {} }] }
const works = { calls: [{ id: 's', name: 'slow', args: {} }] }
const end = { text: 'done' }

/** Processes over one storage: an agent with a tool that a person has to decide, and one that works until it is let go. */
function processes(sup: NonNullable<Script[string]>) {
  const storage = new InMemoryStorage()
  const models = scriptedModels({ sup })
  const ran: unknown[] = []
  const [begun, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const start = () => {
    const act = createTool({ id: 'act', requireApproval: true, execute: (input) => void ran.push(input) })
    const execute = (): Promise<string> => {
      begun.resolve()
      return slow.promise
    }
    const tools = { act, slow: createTool({ id: 'slow', execute }) }
    const agent = new Agent({ id: 'sup', model: models.at('sup'), tools, memory: new Memory() })
    return new Retinue({
      agents: { sup: agent },
      storage: Object.create(storage) as InMemoryStorage,
      logger: false,
    }).getAgent('sup')
  }
  return { start, storage, ran, working: begun.promise, letGo: () => slow.resolve('slow') }
}

test('B7.3 recover() with two runs of one thread that are due gives both: one goes on after the other', async () => {
  const { start } = processes([asks, asks, end, end])
  const agent = start()
  await agent.generate('One', { memory, approvalTimeoutMs: 1_000, runId: 'one' })
  await agent.generate('Two', { memory, approvalTimeoutMs: 1_000, runId: 'two' })
  // As after a pause of the whole machine: no clock has run.
  vi.setSystemTime(Date.now() + 60_000)
  const ended: string[] = []
  const recovering = start()
    .recover()
    .then((streams) => Promise.all(streams.map(async ({ text, runId }) => ended.push(`${runId}: ${await text}`))))
  for (let seconds = 0; seconds < 30; seconds++) await vi.advanceTimersByTimeAsync(1_000)
  expect(ended.toSorted()).toEqual(['one: done', 'two: done'])
  await recovering
})

test('B7.4 an approval whose thread is busy, and does not wait for it, changes nothing', async () => {
  const { start, ran, working, letGo } = processes([asks, works, end, end])
  const agent = start()
  const { runId } = await agent.generate('One', { memory: { ...memory, onBusy: 'reject' } })
  const other = agent.generate('Two', { memory })
  await working
  await expect(agent.approveToolCall({ runId })).rejects.toMatchObject({ code: 'thread-busy' })
  expect((await agent.listApprovals({ runId })).items).toMatchObject([{ status: 'pending' }])
  letGo()
  await other
  expect(await agent.approveToolCallGenerate({ runId })).toMatchObject({ finishReason: 'stop', text: 'done' })
  expect(ran).toHaveLength(1)
})

test('B7.4 an approval that waits for its thread keeps its lease meanwhile: nobody takes the run from it', async () => {
  const { start, storage, ran, working, letGo } = processes([asks, works, end, end, end])
  const agent = start()
  const { runId } = await agent.generate('One', { memory })
  const other = agent.generate('Two', { memory })
  await working
  const approving = agent.approveToolCallGenerate({ runId })
  while (!(await storage.runs.get(runId)).lease) await turns()
  // Longer than a lease that nobody keeps up.
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await start().recover()).toEqual([])
  letGo()
  await other
  expect(await approving).toMatchObject({ finishReason: 'stop', text: 'done' })
  expect(ran).toHaveLength(1)
})

test('B6.2 a call that may wait so long for its thread is refused then, and never begins; one that goes on later waits', async () => {
  const { start, working, letGo } = processes([asks, works, end, end])
  const agent = start()
  const bounded = { ...memory, busyTimeoutMs: 1_000 }
  const { runId } = await agent.generate('One', { memory: bounded })
  const other = agent.generate('Two', { memory })
  await working
  const late = expect(agent.generate('Three', { memory: bounded })).rejects.toMatchObject({ code: 'thread-busy' })
  const approving = agent.approveToolCallGenerate({ runId })
  await vi.advanceTimersByTimeAsync(1_000)
  await late
  letGo()
  await other
  expect((await approving).text).toBe('done')
  const { messages } = (await (await agent.getMemory())?.recall({ threadId: 't', resourceId: 'ada' })) ?? {
    messages: [],
  }
  expect(JSON.stringify(messages)).not.toContain('Three')
})
