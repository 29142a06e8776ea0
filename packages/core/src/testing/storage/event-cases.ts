import type { RunEvents } from '../../storage/run-events.ts'
import { expectError, expectSame } from './expectations.ts'
import { waiting } from './run-case.ts'
import { type StorageCase, storageCase } from './storage-case.ts'

/** Events `first` to `last` of a leg. */
function told(leg: number, first: number, last: number): RunEvents {
  return { leg, first, last, body: [`${leg}.${first}`] }
}

export const eventCases: readonly StorageCase[] = [
  storageCase('R09 what a run told is read in its order, from any place on', async ({ runs }) => {
    await runs.save(waiting('r1'))
    await runs.save(waiting('r2'))
    const all = [told(5, 1, 3), told(5, 4, 4), told(9, 1, 2)]
    // Legs of two processes may come in any order.
    for (const events of [all[2], all[0], all[1]] as RunEvents[])
      expectSame(await runs.appendEvents({ runId: 'r1', ...events }), true, 'that it was kept')
    await runs.appendEvents({ runId: 'r2', ...told(5, 1, 1) })
    expectSame(await runs.listEvents({ runId: 'r1' }), { items: all, hasMore: false }, 'all of them')
    const after = async (leg: number, seq: number) =>
      (await runs.listEvents({ runId: 'r1', after: { leg, seq } })).items
    expectSame(await after(5, 2), all, 'after one in the middle of a row')
    expectSame(await after(5, 3), all.slice(1), 'after the last of a row')
    expectSame(await after(5, 4), all.slice(2), 'after the last of a leg')
    expectSame(await after(6, 1), all.slice(2), 'after one of a leg that was never kept')
    expectSame(await after(9, 2), [], 'after the last')
    expectSame(await runs.listEvents({ runId: 'r1', limit: 2 }), { items: all.slice(0, 2), hasMore: true }, 'a page')
    expectSame(await runs.listEvents({ runId: 'r3' }), { items: [], hasMore: false }, 'of no run')
  }),
  storageCase('R09 what a run told is kept once, and goes with the run', async ({ runs }) => {
    expectSame(await runs.appendEvents({ runId: 'r1', ...told(1, 1, 1) }), false, 'of no run')
    await runs.save(waiting('r1'))
    expectSame(await runs.listEvents({ runId: 'r1' }), { items: [], hasMore: false }, 'what came before the run')
    await runs.appendEvents({ runId: 'r1', ...told(1, 1, 1) })
    await runs.appendEvents({ runId: 'r1', ...told(1, 1, 1), body: 'other' })
    expectSame((await runs.listEvents({ runId: 'r1' })).items, [told(1, 1, 1)], 'what is kept')
    await runs.remove({ runId: 'r1', expectedVersion: 1, at: 200 })
    expectSame(await runs.appendEvents({ runId: 'r1', ...told(1, 2, 2) }), false, 'after the end')
    await runs.save(waiting('r1'))
    expectSame((await runs.listEvents({ runId: 'r1' })).items, [], 'of another run of that id')
  }),
  storageCase('R24 events that can’t be kept are refused', async ({ runs }) => {
    await runs.save(waiting('r1'))
    const refused = (changed: Partial<RunEvents>) => runs.appendEvents({ runId: 'r1', ...told(1, 1, 1), ...changed })
    await expectError(refused({ leg: 0 }), 'option-invalid', 'a leg that is none')
    await expectError(refused({ first: 2 }), 'option-invalid', 'a last before the first')
    await expectError(refused({ body: Number.NaN }), 'storage-value-refused', 'no JSON')
    await expectError(runs.listEvents({ runId: 'r1', limit: 0 }), 'option-invalid', 'no row')
    expectSame((await runs.listEvents({ runId: 'r1' })).items, [], 'what was kept')
  }),
]
