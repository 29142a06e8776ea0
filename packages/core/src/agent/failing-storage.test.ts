import { expect, test } from 'vitest'
import { chain, gatedTool, Processes } from '../../test-support/gated-tree.ts'
import { Retinue } from '../retinue.ts'
import { InMemoryStorage } from '../storage/index.ts'
import { faultyStorage, type StorageFault } from '../testing/index.ts'

/** An answer that could not be kept is asked for again. */
const ANSWER = ({ text }: { readonly text: string }) => ({ text })

const call = (id: string) => ({ id, name: 'act', args: { id } })

/** All calls are decided, the first by a process in whose storage a write fails. Gives what was started. */
async function decided(
  ids: readonly string[],
  first: 'approve' | 'decline',
  fault: StorageFault,
): Promise<{ ran: unknown[]; failed: boolean }> {
  const storage = new InMemoryStorage()
  const { tool, ran } = gatedTool()
  const processes = new Processes(
    {
      sup: [{ calls: [{ id: 'd', name: 'mid', args: { prompt: 'P' } }] }, ANSWER, ANSWER, ANSWER],
      'sup/mid': [{ calls: ids.map(call) }, ANSWER, ANSWER, ANSWER],
    },
    storage,
  )
  const make = chain(2, { act: tool })
  const { runId } = await processes.start(make).generate('Go')
  const faulty = faultyStorage(storage, fault)
  const failing = new Retinue({ agents: { sup: make(processes.models) }, storage: faulty, logger: false }).getAgent(
    'sup',
  )
  await failing[`${first}ToolCallGenerate`]({ runId, toolCallId: 'one' }).catch(() => {})
  const failed = faulty.writes.length >= fault.at
  // Its process is still there, and lets the lease run out; another one starts, and goes on with what can go on.
  const [there] = (await storage.runs.list({})).items
  if (there?.lease) await storage.runs.release({ runId, holder: there.lease.holder })
  const next = processes.start(make)
  if (there?.lease) await next.resumeRunGenerate({ runId })
  else await Promise.all((await next.recover()).map(({ result }) => result))
  for (;;) {
    const { runs } = await next.listSuspendedRuns()
    const [waiting] = runs
    if (!waiting) break
    // A run that waits waits for somebody.
    expect(waiting.toolCalls.length).toBeGreaterThan(0)
    await next.approveToolCallGenerate({ runId, toolCallId: waiting.toolCalls[0]?.toolCallId as string })
  }
  const { items } = await next.listApprovals({ runId })
  expect(items.filter((each) => ['pending', 'approved', 'started'].includes(each.status))).toEqual([])
  return { ran, failed }
}

const CASES = (['approve', 'decline'] as const).flatMap((first) =>
  (['before', 'after'] as const).flatMap((when) => [
    { first, when, ids: ['one'] },
    { first, when, ids: ['one', 'two'] },
  ]),
)

test.each(CASES)(
  'B7.4 whichever write fails while a call is decided, nothing is lost, and nothing starts twice: $first $ids, $when it is made',
  async ({ first, when, ids }) => {
    let failures = 0
    for (let at = 1; ; at++) {
      const { ran, failed } = await decided(ids, first, { at, when, how: 'fail' })
      const started = ran.map((args) => (args as { id: string }).id)
      expect([at, new Set(started).size]).toEqual([at, started.length])
      if (!failed) break
      failures += 1
    }
    expect(failures).toBeGreaterThan(2)
  },
)
