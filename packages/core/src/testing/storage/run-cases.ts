import type { RunQuery, RunSave } from '../../storage/runs.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Value } from '../../storage/values.ts'
import { expectError, expectSame, expectTrue } from './expectations.ts'
import { asked, move, waiting } from './run-case.ts'
import { ADA, BOB, type StorageCase, storageCase } from './storage-case.ts'

/** The move that decides a question for the call. */
const APPROVE = [['pending'], 'approved'] as const

export const runCases: readonly StorageCase[] = [
  storageCase('B7.3 a run that is saved can be read, and each save is a version', async ({ runs }) => {
    const lease = { holder: 'h1', until: 900 }
    const facts = { runId: 'r1', agentId: 'sup', threadId: 't1', resourceId: ADA, createdAt: 100 }
    const { createdAt: _, ...given } = facts
    expectSame(
      await runs.save(waiting('r1', { ...given, status: 'running', body: [1], lease })),
      1,
      'the first version',
    )
    const first = { ...facts, status: 'running', body: [1], lease, version: 1, updatedAt: 100 }
    expectSame(await runs.get('r1'), first, 'what get gives')
    const second = waiting('r1', { ...given, expectedVersion: 1, at: 300 })
    expectSame(await runs.save(second), 2, 'the second version')
    const read = { ...facts, status: 'suspended', body: { of: 'r1' }, version: 2, updatedAt: 300 }
    expectSame(await runs.get('r1'), read, 'what get gives then; nobody has a lease')
    expectSame(await runs.save(waiting('r1', { agentId: 'other', expectedVersion: 2, at: 200 })), 3, 'the third')
    const bare = { runId: 'r1', agentId: 'other', status: 'suspended', body: { of: 'r1' }, version: 3 }
    expectSame(await runs.get('r1'), { ...bare, createdAt: 100, updatedAt: 300 }, 'left out is gone; time stays')
    await expectError(runs.get('r2'), 'run-not-found', 'a run that is not there')
  }),
  storageCase(
    'B7.4 a run is new once, and written only over the version that was read',
    async ({ runs, approvals }) => {
      await runs.save(waiting('r1'))
      const with2 = { requests: [asked('r1', 'c1')], body: 'other' }
      await expectError(runs.save(waiting('r1', with2)), 'run-exists', 'new again')
      for (const expectedVersion of [2, 9]) {
        await expectError(
          runs.save(waiting('r1', { ...with2, expectedVersion })),
          'storage-conflict',
          'another version',
        )
      }
      await expectError(runs.save(waiting('r2', { expectedVersion: 1 })), 'storage-conflict', 'a version of none')
      await runs.save(waiting('r1', { expectedVersion: 1 }))
      await expectError(
        runs.save(waiting('r1', { ...with2, expectedVersion: 1 })),
        'storage-conflict',
        'an old version',
      )
      expectSame((await runs.get('r1')).body, { of: 'r1' }, 'the run')
      expectSame((await runs.list({})).total, 1, 'how many there are')
      expectSame((await approvals.list({})).items, [], 'the questions')
    },
  ),
  storageCase('B7.4 of eight who save at once one wins', async ({ runs }) => {
    const tries = async (changed: Partial<RunSave>, code: 'run-exists' | 'storage-conflict') => {
      const saves = Array.from({ length: 8 }, (_none, body) => runs.save(waiting('r1', { ...changed, body })))
      const outcomes = await Promise.allSettled(saves)
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
      for (const [index, save] of saves.entries()) if (index !== winner) await expectError(save, code, `save ${index}`)
      expectSame((await runs.get('r1')).body, winner, 'what is there')
    }
    await tries({}, 'run-exists')
    await tries({ expectedVersion: 1 }, 'storage-conflict')
  }),
  storageCase('B7.4 a run, its questions and its moves are written together, or none of them is', together),
  storageCase('B7.4 moves of one save are made one after the other', async ({ runs, approvals }) => {
    const moves = [
      move('r1', 'c1', APPROVE, { at: 5 }),
      move('r1', 'c1', [['approved'], 'started'], { at: 6 }),
      move('r1', 'c2', [['pending'], 'void'], { at: 7 }),
    ]
    const requests = [asked('r1', 'c1'), asked('r1', 'c2'), asked('r1', 'c2', { round: 2 })]
    await runs.save(waiting('r1', { requests, moves }))
    const { items } = await approvals.list({})
    const stand = items.map(({ toolCallId, round, status }) => [toolCallId, round, status])
    expectSame(
      stand,
      [
        ['c1', 1, 'started'],
        ['c2', 1, 'void'],
        ['c2', 2, 'pending'],
      ],
      'where they stand',
    )
    expectSame([items[0]?.decidedAt, items[0]?.startedAt, items[1]?.decidedAt], [5, 6, 7], 'since when')
    const twice = [move('r1', 'c2', APPROVE, { round: 2 }), move('r1', 'c2', APPROVE, { round: 2 })]
    const save = runs.save(waiting('r1', { expectedVersion: 1, moves: twice }))
    await expectError(save, 'storage-conflict', 'a move that is made twice')
  }),
  storageCase('B7.4 a lease is had by one at a time, until it runs out or is let go', leased),
  storageCase('B7.4 of eight who want a lease at once one gets it', async ({ runs }) => {
    await runs.save(waiting('r1'))
    const takers = Array.from({ length: 8 }, (_none, n) => {
      return runs.acquire({ runId: 'r1', holder: `h${n}`, until: 1000, at: 200 })
    })
    const taken = (await Promise.all(takers)).filter((run) => run !== undefined)
    expectSame(taken.length, 1, 'how many got it')
    expectSame((await runs.get('r1')).lease, taken[0]?.lease, 'who has it')
  }),
  storageCase('B7.2 runs are listed by what they are and by pages, the oldest first', listed),
  storageCase('B7.4 a run is deleted in the version that was read, and its approvals stay', async (storage) => {
    const { runs, approvals } = storage
    const requests = [asked('r1', 'c1'), asked('r1', 'c2')]
    await runs.save(waiting('r1', { requests }))
    await runs.save(waiting('r2'))
    const cancel = move('r1', 'c1', [['pending'], 'cancelled'])
    const stale = runs.remove({ runId: 'r1', expectedVersion: 2, moves: [cancel], at: 300 })
    await expectError(stale, 'storage-conflict', 'another version')
    const impossible = [cancel, move('r1', 'c2', [['approved'], 'cancelled'])]
    const moved = runs.remove({ runId: 'r1', expectedVersion: 1, moves: impossible, at: 300 })
    await expectError(moved, 'storage-conflict', 'a move that can’t be made')
    const none = runs.remove({ runId: 'none', expectedVersion: 1, moves: [cancel], at: 300 })
    await expectError(none, 'run-not-found', 'of none')
    expectSame((await runs.get('r1')).version, 1, 'the run')
    expectSame(await statuses(storage), ['pending', 'pending'], 'the questions')
    await runs.remove({ runId: 'r1', expectedVersion: 1, moves: [cancel], at: 300 })
    await expectError(runs.get('r1'), 'run-not-found', 'get')
    await expectError(runs.remove({ runId: 'r1', expectedVersion: 1, at: 300 }), 'run-not-found', 'delete again')
    expectSame(
      (await runs.list({})).items.map(({ runId }) => runId),
      ['r2'],
      'the other run',
    )
    expectSame(await statuses(storage), ['cancelled', 'pending'], 'the questions of the run that is gone')
    // Whoever takes the id again does not ask again.
    await runs.save(waiting('r1', { requests, at: 400 }))
    const [first] = (await approvals.list({ runId: 'r1' })).items
    expectSame([first?.status, first?.requestedAt], ['cancelled', 100], 'a question that was there')
  }),
  storageCase('B7.3 any value comes back as the body that it was, and what would not is refused', bodies),
  storageCase('B7.3 a storage that was closed has no runs and no approvals any more', async (storage) => {
    const { runs, approvals } = storage
    await runs.save(waiting('r1'))
    await storage.close()
    await expectError(runs.get('r1'), 'storage-closed', 'get')
    await expectError(runs.save(waiting('r2')), 'storage-closed', 'save')
    await expectError(runs.list({}), 'storage-closed', 'list')
    await expectError(approvals.list({}), 'storage-closed', 'list of approvals')
    await expectError(approvals.change(move('r1', 'c1', APPROVE)), 'storage-closed', 'change')
  }),
]

async function statuses({ approvals }: Storage): Promise<string[]> {
  return (await approvals.list({})).items.map(({ status }) => status)
}

async function together(storage: Storage): Promise<void> {
  const { runs, approvals } = storage
  await runs.save(waiting('r1', { requests: [asked('r1', 'c1')] }))
  const before = [await runs.get('r1'), (await approvals.list({})).items]
  const more = { requests: [asked('r1', 'c2')], body: 'changed', at: 300 }
  for (const moves of [
    [move('r1', 'c1', APPROVE), move('r1', 'c3', APPROVE)],
    [move('r1', 'c1', APPROVE), move('r1', 'c1', APPROVE)],
    [move('r1', 'c1', [['approved', 'started'], 'done'])],
    [move('r1', 'c1', [[], 'approved'])],
    [move('r1', 'c1', APPROVE, { round: 2 })],
    [move('r2', 'c1', APPROVE)],
    [move('r1', 'c2', [['approved'], 'started'])],
  ]) {
    const what = JSON.stringify(moves)
    await expectError(runs.save(waiting('r1', { ...more, expectedVersion: 1, moves })), 'storage-conflict', what)
    await expectError(runs.save(waiting('r2', { ...more, moves })), 'storage-conflict', `${what} of a new run`)
    expectSame([await runs.get('r1'), (await approvals.list({})).items], before, `after ${what}`)
    await expectError(runs.get('r2'), 'run-not-found', `the new run after ${what}`)
  }
  const moves = [move('r1', 'c1', APPROVE, { decision: { by: BOB }, at: 250 })]
  // A question that is there stays as it is, whatever is asked now.
  const requests = [asked('r1', 'c1', { toolName: 'other' }), asked('r1', 'c2')]
  await runs.save(waiting('r1', { ...more, requests, moves, expectedVersion: 1 }))
  expectSame(
    await approvals.list({}),
    {
      unreadable: [],
      items: [
        { ...asked('r1', 'c1'), status: 'approved', requestedAt: 100, decision: { by: BOB }, decidedAt: 250 },
        { ...asked('r1', 'c2'), status: 'pending', requestedAt: 300 },
      ],
    },
    'the questions',
  )
  expectSame((await runs.get('r1')).body, 'changed', 'the run')
}

async function leased({ runs }: Storage): Promise<void> {
  await runs.save(waiting('r1'))
  const take = (holder: string, at: number, until = at + 100) => runs.acquire({ runId: 'r1', holder, until, at })
  const first = await take('h1', 200, 300)
  expectSame(first, { ...(await runs.get('r1')), body: { of: 'r1' } }, 'what acquire gives')
  expectSame(
    [first?.version, first?.status, first?.updatedAt],
    [2, 'suspended', 100],
    'a version of its own, and nothing else',
  )
  expectSame(first?.lease, { holder: 'h1', until: 300 }, 'the lease')
  expectSame(await take('h2', 299), undefined, 'while it lives')
  expectSame((await runs.get('r1')).version, 2, 'a lease that is refused changes nothing')
  expectSame(await runs.renew({ runId: 'r1', holder: 'h2', until: 900 }), false, 'renewed by a stranger')
  await runs.release({ runId: 'r1', holder: 'h2' })
  expectSame((await runs.get('r1')).lease, { holder: 'h1', until: 300 }, 'after what a stranger did')
  expectSame(await runs.renew({ runId: 'r1', holder: 'h1', until: 400 }), true, 'renewed')
  expectSame([(await runs.get('r1')).version, await take('h2', 399)], [2, undefined], 'no new version; it lives longer')
  expectSame((await take('h2', 400))?.lease, { holder: 'h2', until: 500 }, 'when it has run out')
  expectSame(await runs.renew({ runId: 'r1', holder: 'h1', until: 900 }), false, 'renewed by who had it')
  expectSame((await take('h2', 410, 600))?.version, 4, 'who has it may take it again')
  await runs.release({ runId: 'r1', holder: 'h2' })
  const free = await runs.get('r1')
  expectSame([free.version, free.lease], [4, undefined], 'let go, without a new version')
  expectSame(await runs.renew({ runId: 'r1', holder: 'h2', until: 900 }), false, 'renewed after it was let go')
  expectSame((await take('h3', 411))?.version, 5, 'when it was let go')
  // Who knows a version from before cannot write over who works on it now.
  await expectError(runs.save(waiting('r1', { expectedVersion: 4 })), 'storage-conflict', 'a save of who had it')
  await runs.save(waiting('r1', { expectedVersion: 5 }))
  expectTrue((await take('h4', 412)) !== undefined, 'a save without a lease lets it go')
  await runs.save(waiting('r1', { expectedVersion: 7, lease: { holder: 'h5', until: 900 } }))
  expectSame(await take('h4', 899), undefined, 'a lease that a save has taken')
  await expectError(runs.acquire({ runId: 'none', holder: 'h', until: 2, at: 1 }), 'run-not-found', 'of none')
  expectSame(await runs.renew({ runId: 'none', holder: 'h', until: 2 }), false, 'renewed for none')
  await runs.release({ runId: 'none', holder: 'h' })
}

async function listed({ runs }: Storage): Promise<void> {
  const all: readonly Partial<RunSave>[] = [
    { agentId: 'a', threadId: 't1', resourceId: ADA },
    { agentId: 'a', status: 'running', threadId: 't1', resourceId: BOB },
    { agentId: 'b', threadId: 't2', resourceId: ADA },
    { agentId: 'a', lease: { holder: 'h', until: 7 } },
    { agentId: 'a', status: 'ended', threadId: 't1', resourceId: ADA },
  ]
  // Their clocks say nothing of the order, nor does which was written last.
  for (const [n, run] of all.entries()) await runs.save(waiting(`r${n}`, { ...run, at: 500 - n }))
  const { agentId, threadId, resourceId } = all[0] as RunSave
  await runs.save(
    waiting('r0', {
      agentId,
      threadId: threadId as string,
      resourceId: resourceId as string,
      expectedVersion: 1,
      at: 900,
    }),
  )
  const ids = async (query: RunQuery) => (await runs.list(query)).items.map(({ runId }) => runId)
  expectSame(await ids({}), ['r0', 'r1', 'r2', 'r3', 'r4'], 'all')
  expectSame(await ids({ agentId: 'a' }), ['r0', 'r1', 'r3', 'r4'], 'of an agent')
  expectSame(await ids({ status: 'suspended' }), ['r0', 'r2', 'r3'], 'with a status')
  expectSame(await ids({ threadId: 't1' }), ['r0', 'r1', 'r4'], 'of a thread')
  expectSame(await ids({ resourceId: ADA }), ['r0', 'r2', 'r4'], 'of a resource')
  expectSame(await ids({ agentId: 'a', status: 'suspended', resourceId: ADA, threadId: 't1' }), ['r0'], 'all at once')
  expectSame(await runs.list({ agentId: 'none' }), { items: [], unreadable: [], total: 0 }, 'none')
  const leased = { runId: 'r3', agentId: 'a', status: 'suspended', createdAt: 497, updatedAt: 497, version: 1 }
  expectSame((await runs.list({})).items[3], { ...leased, lease: { holder: 'h', until: 7 } }, 'facts, without a body')
  const pages: unknown[] = []
  let cursor: string | undefined
  do {
    const page = await runs.list({ agentId: 'a', limit: 3, ...(cursor === undefined ? {} : { cursor }) })
    pages.push([page.items.map(({ runId }) => runId), page.total])
    await runs.save(waiting(`new${pages.length}`, { agentId: 'a' }))
    cursor = page.next
  } while (cursor !== undefined && pages.length < 9)
  expectSame(
    pages,
    [
      [['r0', 'r1', 'r3'], 4],
      [['r4', 'new1'], 5],
    ],
    'the pages, and how many there were',
  )
  expectSame((await runs.list({ agentId: 'a', limit: 6 })).next, undefined, 'a full last page has no next')
  for (const cursor of ['', 'a.1', 'r.0', 'r.x', 'r.1.2', 'c.1']) {
    await expectError(runs.list({ cursor }), 'option-invalid', `the cursor ${cursor}`)
  }
  await expectError(runs.list({ limit: 0 }), 'option-invalid', 'no limit')
  await expectError(runs.list({ status: 'bogus' as never }), 'option-invalid', 'a status that is none')
}

/** Texts that some database or serialization somewhere does not carry. */
const TEXTS = ['', '\0', 'a\0b', '\ud800', 'a\udc00b', '😀é', '__proto__', '\u2028\ufeff', '$retinue', "'; --"]

async function bodies({ runs }: Storage): Promise<void> {
  const values: readonly unknown[] = [
    ...TEXTS,
    ...TEXTS.map((text) => Object.fromEntries([[text, [text]]])),
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    { $retinue: 'url', value: 'x', list: [{ $retinue: { $retinue: 'object' } }] },
    { bytes: Uint8Array.of(0, 255, 128), url: new URL('https://example.com/ä?q=%20#x') },
    ...[false, 0, -0, null, [], {}, 5e-324],
    'é'.repeat(1_000_000),
  ]
  for (const [version, body] of values.entries()) {
    const what = `body ${version}: ${String(JSON.stringify(body)).slice(0, 40)}`
    expectSame(await runs.save(waiting('r1', { body: body as Value, expectedVersion: version })), version + 1, what)
    expectSame((await runs.get('r1')).body, body, what)
  }
  expectTrue(!('polluted' in {}), 'prototypes are clean')
  const list = [1]
  await runs.save(waiting('r2', { body: { list } }))
  list.push(2)
  ;((await runs.get('r2')).body as { list: number[] }).list.push(3)
  expectSame((await runs.get('r2')).body, { list: [1] }, 'what is handed over and read is a copy')
  for (const [place, changed] of Object.entries({
    'body.f': { body: { f: (() => 1) as never } },
    body: { body: undefined as never },
    'requests[1].args.n': { requests: [asked('r3', 'c1'), asked('r3', 'c2', { args: { n: Number.NaN } })] },
    'moves[0].decision.args': { moves: [move('r3', 'c1', APPROVE, { decision: { args: new Date(0) as never } })] },
    runId: { runId: 'a\0' },
    threadId: { threadId: '' },
    at: { at: 0.5 },
    until: { lease: { holder: 'h', until: Number.NaN } },
  })) {
    const error = await expectError(runs.save(waiting('r3', changed)), 'storage-value-refused', place)
    expectSame(error.data['place'], place, 'the place')
  }
  await expectError(runs.save(waiting('r3', { status: 'bogus' as never })), 'option-invalid', 'a status that is none')
  await expectError(runs.get('r3'), 'run-not-found', 'what was refused')
}
