import type { VectorMetadata, VectorStore } from '../../storage/vectors.ts'
import { expectError, expectSame, expectTrue } from './expectations.ts'
import { ADA, BOB, idsOf } from './storage-case.ts'

/** One thing that every store of vectors must do. */
export interface VectorCase {
  readonly name: string
  /** Throws if it does not hold. `makeStore` gives a new, empty store; the case closes it. */
  run(makeStore: () => VectorStore | Promise<VectorStore>): Promise<void>
}

function vectorCase(name: string, body: (store: VectorStore) => Promise<void>): VectorCase {
  return {
    name,
    run: async (makeStore) => {
      const store = await makeStore()
      try {
        await body(store)
      } finally {
        await store.close()
      }
    },
  }
}

const item = (id: string, vector: number[], metadata: VectorMetadata) => ({ id, vector, metadata })

async function filled(store: VectorStore): Promise<void> {
  await store.upsert([
    item('east', [1, 0], { resourceId: ADA, threadId: 't1', kind: true }),
    item('north', [0, 2], { resourceId: ADA, threadId: 't2', kind: 1 }),
    item('north-east', [3, 3], { resourceId: ADA, threadId: 't1', kind: '1' }),
    item('deep', [1, 0, 0], { resourceId: ADA, threadId: 't1' }),
    item('east', [1, 0.1], { resourceId: BOB, threadId: 't1' }),
  ])
}

/** What every implementation of `VectorStore` must do, for any test runner, as `storageConformance`. */
export const vectorConformance: readonly VectorCase[] = [
  vectorCase('the nearest come first, with their metadata', async (store) => {
    await filled(store)
    const matches = await store.query({ vector: [2, 0], topK: 2, filter: { resourceId: ADA } })
    expectSame(idsOf(matches), ['east', 'north-east'], 'the matches')
    expectSame(matches[0]?.metadata, { resourceId: ADA, threadId: 't1', kind: true }, 'metadata')
    expectTrue(Math.abs((matches[0]?.score ?? 0) - 1) < 1e-6, 'the score of the same direction')
    expectTrue(Math.abs((matches[1]?.score ?? 0) - Math.SQRT1_2) < 1e-6, 'the score of half a right angle')
    const all = await store.query({ vector: [-1, 0], topK: 99, filter: { resourceId: ADA } })
    expectSame(idsOf(all), ['north', 'north-east', 'east'], 'all of that length')
  }),
  vectorCase('a filter compares exactly, and its owner is always part of it', async (store) => {
    await filled(store)
    const query = async (filter: VectorMetadata) => idsOf(await store.query({ vector: [1, 1], topK: 9, filter }))
    expectSame(await query({ resourceId: ADA, threadId: 't2' }), ['north'], 'a thread')
    expectSame(await query({ resourceId: ADA, kind: true }), ['east'], 'true')
    expectSame(await query({ resourceId: ADA, kind: 1 }), ['north'], '1')
    expectSame(await query({ resourceId: ADA, kind: '1' }), ['north-east'], "'1'")
    expectSame(await query({ resourceId: ADA, none: 'x' }), [], 'a fact that none has')
    expectSame(await query({ resourceId: 'ada"' }), [], 'another owner')
    expectSame((await store.query({ vector: [1, 0], topK: 9, filter: { resourceId: BOB } })).length, 1, 'of the other')
  }),
  vectorCase('a fact is no beginning of another, and equal ones come by their ids', async (store) => {
    await store.upsert(
      [1, 10, 12].map((kind) => item(`n${kind}`, [1, 0], { resourceId: ADA, kind, of: 'x' })).toReversed(),
    )
    const query = async (more: object) =>
      idsOf(await store.query({ vector: [1, 0], topK: 9, filter: { resourceId: ADA, ...more } }))
    expectSame(await query({ kind: 1 }), ['n1'], 'a number that others begin with')
    expectSame(await query({ of: 'x' }), ['n1', 'n10', 'n12'], 'equal ones')
    await store.upsert([item('n1', [1, 0, 0], { resourceId: ADA })])
    expectSame(await query({}), ['n10', 'n12'], 'after one has got another length')
    const longer = await store.query({ vector: [1, 0, 0], topK: 9, filter: { resourceId: ADA } })
    expectSame(idsOf(longer), ['n1'], 'those of that length')
  }),
  vectorCase('the same id of the same owner is replaced', async (store) => {
    await filled(store)
    await store.upsert([item('east', [0, -1], { resourceId: ADA, new: 'yes' })])
    const [match] = await store.query({ vector: [0, -1], topK: 1, filter: { resourceId: ADA } })
    expectSame([match?.id, match?.metadata], ['east', { resourceId: ADA, new: 'yes' }], 'the nearest')
    const [other] = await store.query({ vector: [1, 0], topK: 1, filter: { resourceId: BOB } })
    expectSame(other?.metadata, { resourceId: BOB, threadId: 't1' }, 'the one of the other')
  }),
  vectorCase('what fits a filter is deleted', async (store) => {
    await filled(store)
    expectSame(await store.delete({ resourceId: ADA, threadId: 't1' }), 3, 'how many')
    const left = await store.query({ vector: [1, 0], topK: 9, filter: { resourceId: ADA } })
    expectSame(idsOf(left), ['north'], 'what is left')
    expectSame(await store.delete({ resourceId: BOB }), 1, 'of the other')
  }),
  vectorCase('odd metadata comes back, and what has no direction or no owner is refused', async (store) => {
    const metadata = { resourceId: ADA, 'a"\n,b': '\0\ud800"\n', __proto__x: 0.5 }
    await store.upsert([item('odd', [1], metadata)])
    const [match] = await store.query({ vector: [2], topK: 1, filter: metadata })
    expectSame(match?.metadata, metadata, 'metadata')
    for (const vector of [[], [0, 0], [Number.NaN], [1e39]]) {
      await expectError(store.upsert([item('x', vector, { resourceId: ADA })]), 'storage-value-refused', 'a vector')
    }
    const bare = { kind: 1 } as unknown as VectorMetadata
    await expectError(store.upsert([item('x', [1], bare)]), 'storage-value-refused', 'without an owner')
    await expectError(store.query({ vector: [1], topK: 1, filter: bare }), 'storage-value-refused', 'a query')
    await expectError(store.delete(bare), 'storage-value-refused', 'delete')
    const two = [item('x', [1], { resourceId: ADA }), item('y', [0], { resourceId: ADA })]
    await expectError(store.upsert(two), 'storage-value-refused', 'one of two')
    expectSame(await store.delete({ resourceId: ADA }), 1, 'what was written')
  }),
]
