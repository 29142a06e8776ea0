import type { Agent } from '../../src/agent/agent.ts'
import { isRetinueError } from '../../src/errors/retinue-error.ts'
import { Retinue } from '../../src/retinue.ts'
import { InMemoryStorage } from '../../src/storage/in-memory-storage.ts'
import { type PlannedAgent, plannedAgent, ROOT_TASK } from '../gated-plan.ts'
import { MortalProcess } from '../mortal-process.ts'
import { assert } from '../property.ts'
import { type Choice, everyOrder, Steps } from '../stepping-storage.ts'
import { virtualClock } from '../virtual-clock.ts'

const VERDICTS = ['approve', 'decline'] as const
type Verdict = (typeof VERDICTS)[number]

/** One decider: what it says of which call, first to last. */
type Program = readonly { readonly call: string; readonly verdict: Verdict }[]

const CHILD: PlannedAgent = { key: 'a', id: 'worker', steps: [['gate']] }

/** Where the two calls are: in one step, or in one child that was asked twice. */
const PLANS: Readonly<Record<string, { readonly plan: PlannedAgent; readonly calls: readonly [string, string] }>> = {
  step: { plan: { key: 'root', id: 'root', steps: [['gate', 'gate']] }, calls: ['r.0-0', 'r.0-1'] },
  children: { plan: { key: 'root', id: 'root', steps: [[CHILD, CHILD]] }, calls: ['r.0-0.0-0', 'r.0-1.0-0'] },
}

function programs([one, two]: readonly [string, string]): Program[] {
  return VERDICTS.flatMap((first) =>
    VERDICTS.flatMap((second) => [
      [
        { call: one, verdict: first },
        { call: two, verdict: second },
      ],
      [
        { call: two, verdict: second },
        { call: one, verdict: first },
      ],
    ]),
  )
}

/**
 * R05: two deciders, each in a process of its own, decide both of two calls, each in either way and in either order, and the steps that
 * they make in the storage interleave in every way, up to the first `depth` of them. Gives how many orders there were.
 */
export async function everyDecisionOrder(depth: number): Promise<number> {
  const clock = virtualClock()
  try {
    return await everyProgram(depth)
  } finally {
    clock.restore()
  }
}

async function everyProgram(depth: number): Promise<number> {
  let orders = 0
  for (const { plan, calls } of Object.values(PLANS))
    for (const one of programs(calls))
      for (const other of programs(calls))
        orders += await everyOrder(depth, (picks) => decided(plan, calls, [one, other], picks))
  return orders
}

async function decided(
  plan: PlannedAgent,
  calls: readonly string[],
  deciders: readonly Program[],
  picks: readonly number[],
): Promise<readonly Choice[]> {
  const shared = new InMemoryStorage()
  const starts: string[] = []
  const steps = new Steps(picks)
  const start = (storage: InMemoryStorage | ReturnType<Steps['storage']>): Agent => {
    const root = plannedAgent(plan, {
      process: new MortalProcess(),
      deployed: { version: '1', schema: 'first', removed: new Set() },
      onStart: ({ at }) => void starts.push(at),
      onModelCall: () => {},
    })
    return new Retinue({ agents: { root }, storage, logger: false }).getAgent('root')
  }
  const { pendingCalls = [] } = await start(shared).generate(ROOT_TASK, { runId: 'run' })
  const ids = new Map(pendingCalls.map(({ toolCallId, args }) => [(args as { at: string }).at, toolCallId]))
  const won = new Map<string, Verdict>()
  let text = ''
  const decide = async (agent: Agent, program: Program): Promise<void> => {
    for (const { call, verdict } of program) {
      const options = { runId: 'run', toolCallId: ids.get(call) as string }
      try {
        const result = await agent[`${verdict}ToolCallGenerate`](options)
        assert(!won.has(call), () => `two decisions on ${call} won`)
        won.set(call, verdict)
        if (result.finishReason === 'stop') text = result.text
      } catch (error) {
        const isLost = isRetinueError(error, 'approval-decided') || isRetinueError(error, 'run-not-found')
        assert(isLost, () => `refused with ${String(error)}`)
      }
    }
  }
  const deciding = Promise.all(deciders.map((program, n) => decide(start(steps.storage(n, shared)), program)))
  await steps.until(deciding.catch(() => {}))
  const told = () => `${JSON.stringify(deciders)} ${picks}`
  try {
    await deciding
    for (const call of calls) {
      const count = starts.filter((at) => at === call).length
      assert(won.has(call), () => `no decision on ${call} won`)
      assert(count === (won.get(call) === 'approve' ? 1 : 0), () => `${call}: ${won.get(call)}, started ${count} times`)
      if (won.get(call) === 'approve')
        assert(text.includes(`[ok ${call}]`), () => `${call} is not in the answer: ${text}`)
    }
    const { total } = await shared.runs.list({})
    assert(total === 0, () => 'the run has not ended')
  } catch (error) {
    throw new Error(`${(error as Error).message}; deciders and picks: ${told()}`, { cause: error })
  }
  return steps.choices
}
