import { expect, test } from 'vitest'
import { chain, chainScript, gatedTool, type MakeTree, Processes } from '../../test-support/gated-tree.ts'
import { Retinue } from '../retinue.ts'
import type { Storage, Value } from '../storage/index.ts'
import type { Agent } from './index.ts'

type Body = Record<string, unknown>

/** The storage, in which the bodies of runs read as `damage` leaves them. */
function damaged(storage: Storage, damage: (body: Body) => unknown): Storage {
  const runs = new Proxy(storage.runs, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      if (typeof member !== 'function') return member
      return async (...values: unknown[]) => {
        const answer: unknown = await Reflect.apply(member, target, values)
        const body = (answer as { body?: Value } | undefined)?.body
        return body ? { ...(answer as object), body: damage(structuredClone(body) as Body) } : answer
      }
    },
  })
  const { id, threads, workingMemory, approvals, tasks } = storage
  return { id, threads, workingMemory, approvals, tasks, runs, close: async () => {} }
}

function readsDamaged({ storage, models }: Processes, make: MakeTree, damage: (body: Body) => unknown): Agent {
  const app = new Retinue({ agents: { sup: make(models) }, storage: damaged(storage, damage), logger: false })
  return app.getAgent('sup')
}

const tree = (change: Body) => (body: Body) => ({ ...body, value: { ...(body['value'] as Body), ...change } })
const FIELDS = ['format', 'options', 'code', 'durable', 'children', 'callIds', 'saveId', 'context', 'run']

test.each<[string, (body: Body) => unknown]>([
  ['a list', () => []],
  ['without texts', ({ texts: _, ...rest }) => rest],
  ['without what they share', ({ shared: _, ...rest }) => rest],
  ['without its value', ({ value: _, ...rest }) => rest],
  ['whose mark has no value', (body) => ({ ...body, value: { $kind: 'envelope' } })],
  ...FIELDS.map((field): [string, (body: Body) => unknown] => [`whose ${field} is none`, tree({ [field]: null })]),
])(
  'S26 B7.4 a stored run %s is a typed error, nothing of it runs, and it can still be decided when it is whole',
  async (_what, damage) => {
    const { tool, ran } = gatedTool()
    const processes = new Processes(chainScript(2))
    const make = chain(2, { act: tool })
    const { runId } = await processes.start(make).generate('Go')
    const broken = readsDamaged(processes, make, damage)
    await expect(broken.approveToolCallGenerate({ runId })).rejects.toMatchObject({ code: 'storage-row-unreadable' })
    expect(ran).toEqual([])
    expect((await processes.start(make).approveToolCallGenerate({ runId })).finishReason).toBe('stop')
    expect(ran).toHaveLength(1)
  },
)

test('S26 B7.2 a run that can no longer be read can be cancelled', async () => {
  const processes = new Processes(chainScript(1))
  const make = chain(1, { act: gatedTool().tool })
  const { runId } = await processes.start(make).generate('Go')
  const broken = readsDamaged(processes, make, tree({ run: null }))
  await broken.cancelRun({ runId })
  expect((await broken.listSuspendedRuns()).runs).toEqual([])
})
