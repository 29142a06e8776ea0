import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MortalProcess } from '../../test-support/mortal-process.ts'
import type { SavedCall, SavedRun } from '../loop/saved-run.ts'
import { Retinue } from '../retinue.ts'
import { InMemoryStorage, type Storage, type Value } from '../storage/index.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/index.ts'
import { createTool, type Tool } from '../tools/index.ts'
import { Agent, type RunResult } from './index.ts'
import { TreeLog, wholeRun } from './tree-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const turns = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0))
const leaseOver = () => vi.advanceTimersByTimeAsync(11_000)
const call = (id: string, name: string, args: object = {}) => ({ id, name, args })

/** A long conversation before the run, so that its tree has a log from the beginning. */
const BEFORE = Array.from({ length: 30 }, (_none, n) => ({
  role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: `said before, number ${n}`,
}))

/** A model that remembers nothing: it goes by how many answers of its own follow the last prompt. */
function stateless(steps: readonly ScriptedTurn[]) {
  const turn: ScriptedTurn = (asked) => {
    const begun = asked.prompt.findLastIndex(
      ({ role, content }) => role === 'user' && JSON.stringify(content).includes('PROMPT'),
    )
    const own = asked.prompt.slice(begun).filter(({ role }) => role === 'assistant').length
    return steps[own] as Exclude<ScriptedTurn, (...args: never[]) => unknown>
  }
  return scriptedModel(Array.from({ length: 100 }, () => turn))
}

/** A supervisor with a subagent, whose tools say which calls they were started for. */
function application(storage: Storage, started: string[], process = new MortalProcess()): Agent {
  const execute = (_input: unknown, { toolCallId }: { toolCallId: string }) =>
    process.living(() => {
      started.push(toolCallId)
      return `seen ${toolCallId}`
    })
  const look = createTool({ id: 'look', execute }) as Tool
  const gate = createTool({ id: 'gate', requireApproval: true, execute }) as Tool
  const mid = new Agent({
    id: 'mid',
    description: 'd',
    tools: { look, gate },
    model: stateless([
      { calls: [call('m1', 'look'), call('m2', 'look')] },
      { text: 'so far', calls: [call('g', 'gate')] },
      { text: 'mid done' },
    ]),
  })
  const sup = new Agent({
    id: 'sup',
    agents: { mid },
    tools: { look },
    model: stateless([
      { text: 'a', calls: [call('a', 'look'), call('b', 'look')] },
      { calls: [call('c', 'mid', { prompt: 'PROMPT for mid' }), call('d', 'look')] },
      { calls: [call('e', 'look')] },
      { text: 'end' },
    ]),
  })
  return new Retinue({ agents: { sup }, storage, logger: false }).getAgent('sup') as Agent
}

const input = [...BEFORE, { role: 'user' as const, content: 'PROMPT: go' }]

/** Goes on until the run has ended; who is asked approves. */
async function toTheEnd(agent: Agent, first: Promise<RunResult>): Promise<RunResult> {
  let result = await first
  while (result.finishReason === 'suspended')
    result = await agent.approveToolCallGenerate({
      runId: 'run',
      toolCallId: result.pendingCalls?.[0]?.toolCallId as string,
    })
  return result
}

/** What must be the same however often it died. */
function comparable({ text, finishReason, response, toolResults, totalUsage }: RunResult): unknown {
  const kept = { text, finishReason, messages: response.messages, toolResults, calls: totalUsage.calls }
  const isOwn = (key: string): boolean => key === 'runId' || key === 'timestamp' || key.startsWith('subAgent')
  // A call that was not written down is made again, under another id.
  return JSON.parse(JSON.stringify(kept, (key, value) => (isOwn(key) ? undefined : value)).replaceAll('_2', ''))
}

describe('B7.4 a large tree is kept as a log', () => {
  test('a process that dies before or after any write of it loses nothing, and does nothing twice', async () => {
    const undisturbed: string[] = []
    const whole = application(new InMemoryStorage(), undisturbed)
    const expected = comparable(await toTheEnd(whole, whole.generate(input, { durable: true, runId: 'run' })))
    expect(undisturbed.toSorted()).toEqual(['a', 'b', 'd', 'e', 'g', 'm1', 'm2'])
    let deaths = 0
    for (let at = 1, isOver = false; !isOver; at++) {
      for (const when of ['before', 'after'] as const) {
        const storage = new InMemoryStorage()
        const started: string[] = []
        const dying = new MortalProcess()
        dying.dieAt(at, when)
        const agent = application(dying.storage(storage), started, dying)
        let done: RunResult | undefined
        void toTheEnd(agent, agent.generate(input, { durable: true, runId: 'run' })).then((result) => {
          done = result
        })
        for (let _n = 0; dying.alive && !done; _n++) await turns()
        if (done) {
          isOver = true
          continue
        }
        deaths += 1
        await leaseOver()
        const next = application(storage, started)
        const isThere = (await storage.runs.list({})).total > 0
        const goingOn = isThere
          ? next.resumeRunGenerate({ runId: 'run' })
          : next.generate(input, { durable: true, runId: 'run' })
        const result = await toTheEnd(next, goingOn)
        if (!JSON.stringify(result.toolResults).includes('is unknown') && !JSON.stringify(result).includes('not known'))
          expect(comparable(result), `died ${when} write ${at}`).toEqual(expected)
        expect(started.filter((id) => id === 'g').length).toBeLessThanOrEqual(1)
        const once = new Set(started.map((id) => id.replace('_2', '')))
        for (const id of ['a', 'b', 'd', 'e', 'm1', 'm2']) expect(once).toContain(id)
      }
    }
    expect(deaths).toBeGreaterThan(40)
  })

  test('what was written once is not written again: bytes grow with what was said', async () => {
    const written = async (steps: number): Promise<number> => {
      const storage = new InMemoryStorage()
      let bytes = 0
      const counting = <Domain extends object>(domain: Domain, names: readonly string[]): Domain =>
        new Proxy(domain, {
          get: (target, key) => {
            const member: unknown = Reflect.get(target, key)
            if (typeof member !== 'function') return member
            return (value: unknown) => {
              if (names.includes(String(key))) bytes += JSON.stringify(value ?? null).length
              return Reflect.apply(member, target, [value])
            }
          },
        })
      const counted = { ...storage, id: storage.id, threads: storage.threads, workingMemory: storage.workingMemory }
      const over: Storage = {
        ...counted,
        approvals: storage.approvals,
        runs: counting(storage.runs, ['save']),
        tasks: counting(storage.tasks, ['share']),
        close: () => storage.close(),
      }
      const look = createTool({ id: 'look', execute: () => 'x'.repeat(500) }) as Tool
      const script = [
        ...Array.from({ length: steps }, (_none, n) => ({ text: 'y'.repeat(100), calls: [call(`c${n}`, 'look')] })),
        { text: 'end' },
      ]
      const sup = new Agent({ id: 'sup', tools: { look }, model: scriptedModel(script) })
      const app = new Retinue({ agents: { sup }, storage: over, logger: false })
      await app.getAgent('sup').generate('Go', { durable: true, maxSteps: steps + 1 })
      return bytes / steps
    }
    const [some, more] = [await written(50), await written(200)]
    expect(more).toBeLessThan(1.1 * some)
  })

  test('a log that is damaged is told as such, and with the run it is deleted', async () => {
    const storage = new InMemoryStorage()
    const agent = application(storage, [])
    const result = await agent.generate(input, { durable: true, runId: 'run' })
    expect(result.finishReason).toBe('suspended')
    const { body } = await storage.runs.get('run')
    const [listId] = /run:3:run:[0-9a-f-]+/.exec(JSON.stringify(body)) as unknown as [string]
    await storage.tasks.unshare(listId)
    await expect(agent.approveToolCallGenerate({ runId: 'run' })).rejects.toMatchObject({
      code: 'storage-row-unreadable',
    })
    await storage.tasks.share({ listId, from: 0, items: Array.from({ length: 50 }, () => ({ some: 'thing' })) })
    await expect(agent.approveToolCallGenerate({ runId: 'run' })).rejects.toMatchObject({
      code: 'storage-row-unreadable',
    })
    await agent.cancelRun('run')
    await expect(storage.tasks.shared({ listId, count: 1 })).rejects.toMatchObject({ code: 'storage-row-unreadable' })
  })

  test('what was cut off, changed or taken back comes back as it was', () => {
    const log = new TreeLog('run', 'x')
    const items: Value[] = []
    const callIds = new Map<string, number>()
    const message = (n: number) => ({ role: 'user' as const, content: [{ type: 'text' as const, text: `m${n}` }] })
    const messages = Array.from({ length: 30 }, (_none, n) => message(n))
    const step = (n: number) => ({ iteration: n, text: `s${n}`, toolCalls: [], toolResults: [] })
    const saved = (state: object, calls?: readonly Partial<SavedCall>[]): SavedRun =>
      ({
        state: { runId: 'run', messages, steps: [], ...state },
        given: [],
        ...(calls ? { calls } : {}),
      }) as unknown as SavedRun
    const back = (run: SavedRun): void => {
      const split = log.split(run, callIds)
      if (!split) throw new Error('no log')
      items.push(...split.write.items)
      const whole = wholeRun(JSON.parse(JSON.stringify(split.run)), JSON.parse(JSON.stringify(items)))
      expect(JSON.parse(JSON.stringify(whole.run))).toEqual(JSON.parse(JSON.stringify(run)))
      expect(new Map(whole.callIds)).toEqual(callIds)
    }
    const task = (taskId: string) => ({ taskId, toolCallId: taskId, toolName: 't' })
    const grown = { answers: ['x', 'y'], references: [{ id: 'r-1', key: 'r', text: 'ref' }] }
    const [one, two] = [step(1), step(2)]
    callIds.set('a', 1)
    back(saved({}))
    back(saved({ steps: [one], tasks: [task('t1'), task('t2')], answers: ['x'] }))
    callIds.set('a', 2).set('b', 1)
    const made = { toolCallId: 'a', toolName: 'look', args: { n: 1 } }
    back(
      saved({ steps: [one], tasks: [task('t1'), task('t2')], answers: ['x'] }, [
        made,
        { ...made, toolCallId: 'b', counted: true },
      ]),
    )
    const ended = {
      ...made,
      outcome: {
        kind: 'error',
        error: { code: 'tool-failed', message: 'x' },
        output: { type: 'error-text', value: 'x' },
      },
    } as SavedCall
    back(
      saved({ steps: [one], tasks: [task('t2')], answers: ['x'] }, [
        ended,
        { ...made, toolCallId: 'b', counted: true },
      ]),
    )
    back(saved({ ...grown, steps: [one, two] }, [{ ...made, toolCallId: 'c' }]))
    const toolCalls = ['c', 'd', 'e'].map((toolCallId) => ({ toolCallId, toolName: 'look', args: {} }))
    const toolResults = toolCalls.map((each) => ({ ...each, result: `of ${each.toolCallId}` }))
    const three = { ...step(3), toolCalls }
    const steps = (results: number) => [one, two, { ...three, toolResults: toolResults.slice(0, results) }]
    for (const results of [0, 1, 3]) back(saved({ ...grown, steps: steps(results) }))
    const logged = JSON.stringify(items.at(-1))
    expect([1, 2, 3].map((n) => logged.includes(`of ${'abcde'[n + 1]}`))).toEqual([false, true, true])
    // As it was at an earlier point, and then otherwise.
    back(saved({ ...grown, steps: steps(1) }))
    back(saved({ ...grown, steps: [one, two, { ...three, toolResults: toolResults.slice(1) }] }))
    back(
      saved({ ...grown, steps: [one, two, { ...three, toolResults }, { ...step(4), toolCalls: toolCalls.slice(1) }] }),
    )
    back(saved({ ...grown, steps: [one, two, { ...three, toolResults }, step(5)] }))
    // A processor put another conversation in its place.
    const same = { steps: [one, two, step(3)] }
    back(saved(same))
    back(saved({ ...same, messages: [message(98), ...messages.slice(1)] }))
    back(saved({ messages: [message(99), ...messages.slice(3)], steps: [one, two] }, [{ ...made, toolCallId: 'c' }]))
    back(saved({ messages: [message(99)], steps: [one, two] }))
  })
})
