import type { ApprovalQuery, ApprovalRequest, ApprovalStatus } from '../../storage/approvals.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Value } from '../../storage/values.ts'
import { expectError, expectSame, expectTrue } from './expectations.ts'
import { asked, move, waiting } from './run-case.ts'
import { ADA, BOB, type StorageCase, storageCase } from './storage-case.ts'

const APPROVE = [['pending'], 'approved'] as const

const STATUSES: readonly ApprovalStatus[] = [
  'pending',
  'approved',
  'declined',
  'started',
  'done',
  'unknown',
  'cancelled',
  'void',
]

/** Lists of statuses that a move can begin at: each alone, none, all, all but one. */
const FROM_LISTS: readonly (readonly ApprovalStatus[])[] = [
  ...STATUSES.map((status) => [status]),
  [],
  STATUSES,
  ...STATUSES.map((status) => STATUSES.filter((other) => other !== status)),
]

export const approvalCases: readonly StorageCase[] = [
  storageCase('B7.4 a move is made from where it begins, from any status and for any list, and not otherwise', table),
  storageCase('B7.4 each move of a question is kept with its time, and a decision stays', async (storage) => {
    const { approvals } = storage
    const decision = { by: BOB, reason: 'fine', args: { to: 'eve' }, resumeData: false }
    await ask(storage, asked('r1', 'c1'))
    const decided = { ...asked('r1', 'c1'), status: 'approved', requestedAt: 100, decision, decidedAt: 210 }
    const key = { runId: 'r1', toolCallId: 'c1' }
    expectSame(await approvals.change(move('r1', 'c1', APPROVE, { decision, at: 210 })), decided, 'approved')
    const started = { ...decided, status: 'started', startedAt: 220 }
    expectSame(await approvals.change(move('r1', 'c1', [['approved'], 'started'], { at: 220 })), started, 'started')
    const done = { ...started, status: 'done', endedAt: 230 }
    expectSame(await approvals.change(move('r1', 'c1', [['started'], 'done'], { at: 230 })), done, 'done')
    expectSame(await approvals.get(key), done, 'what get gives')
    for (const [to, status] of [
      ['declined', { decidedAt: 210 }],
      ['cancelled', { decidedAt: 210 }],
      ['void', { decidedAt: 210 }],
      ['unknown', { endedAt: 210 }],
    ] as const) {
      await ask(storage, asked('r1', to))
      const moved = await approvals.change(move('r1', to, [['pending'], to], { at: 210 }))
      expectSame(moved, { ...asked('r1', to), status: to, requestedAt: 100, ...status }, to)
    }
    await ask(storage, asked('r1', 'late'))
    await approvals.change(move('r1', 'late', APPROVE, { decision: { by: BOB }, at: 210 }))
    const late = await approvals.change(move('r1', 'late', [['approved'], 'void'], { at: 250 }))
    expectSame([late?.decision, late?.decidedAt], [{ by: BOB }, 210], 'who decided when, after it was made void')
  }),
  storageCase('B7.4 of eight who decide at once one wins', async (storage) => {
    const { approvals } = storage
    await ask(storage, asked('r1', 'c1'))
    const decisions = Array.from({ length: 8 }, (_none, n) =>
      approvals.change(
        move('r1', 'c1', [['pending'], n % 2 === 0 ? 'approved' : 'declined'], { decision: { by: `${n}` } }),
      ),
    )
    const made = (await Promise.all(decisions)).filter((approval) => approval !== undefined)
    expectSame(made.length, 1, 'how many won')
    expectSame(await approvals.get({ runId: 'r1', toolCallId: 'c1' }), made[0], 'what is kept')
  }),
  storageCase('B7.5 a call is asked about in rounds, and the last of them counts', async (storage) => {
    const { approvals } = storage
    const key = { runId: 'r1', toolCallId: 'c1' }
    expectSame(await approvals.get(key), undefined, 'a call that was never asked about')
    await ask(storage, asked('r1', 'c1', { round: 2, args: 'second' }), asked('r1', 'c1'), asked('r1', 'c2'))
    await ask(
      storage,
      asked('r2', 'c1', { round: 3 }),
      asked('r1', 'c1', { round: 10, args: 'tenth' }),
      asked('r1', 'c1', { round: 9 }),
    )
    const rounds = async () => [(await approvals.get(key))?.round, (await approvals.get(key))?.status]
    expectSame(await rounds(), [10, 'pending'], 'the last round')
    expectTrue((await approvals.change(move('r1', 'c1', APPROVE, { round: 2 }))) !== undefined, 'an earlier one')
    expectSame(await rounds(), [10, 'pending'], 'after a move of an earlier round')
    expectSame(await approvals.change(move('r1', 'c1', APPROVE, { round: 3 })), undefined, 'a round that is none')
    expectSame((await approvals.get({ runId: 'r2', toolCallId: 'c1' }))?.round, 3, 'the same call of another run')
    expectSame(await approvals.get({ runId: 'r3', toolCallId: 'c1' }), undefined, 'of a run that is none')
  }),
  storageCase('B7.2 questions are listed by what they are and by pages, in the order in which they were asked', listed),
  storageCase('B7.1 a question and its decision come back as they were written, whatever is in them', values),
]

/** Writes questions with a run of their own. */
async function ask({ runs }: Storage, ...requests: readonly ApprovalRequest[]): Promise<void> {
  await runs.save(waiting(crypto.randomUUID(), { requests }))
}

async function table(storage: Storage): Promise<void> {
  const { approvals } = storage
  for (const status of STATUSES) {
    for (const [index, from] of FROM_LISTS.entries()) {
      const call = `${status}-${index}`
      const what = `${status} by a move from ${from.join()}`
      await ask(storage, asked('r1', call))
      if (status !== 'pending') await approvals.change(move('r1', call, [['pending'], status], { at: 150 }))
      const before = await approvals.get({ runId: 'r1', toolCallId: call })
      expectSame(before?.status, status, what)
      const to = STATUSES[(index + 1) % STATUSES.length] as ApprovalStatus
      const moved = await approvals.change(move('r1', call, [from, to]))
      const after = await approvals.get({ runId: 'r1', toolCallId: call })
      expectSame([moved, moved?.status], from.includes(status) ? [after, to] : [undefined, undefined], what)
      if (!moved) expectSame(after, before, `${what}, which was refused`)
    }
  }
  expectSame(await approvals.change(move('r1', 'none', [STATUSES, 'approved'])), undefined, 'a call that is none')
  const bogus = 'bogus' as ApprovalStatus
  await expectError(approvals.change(move('r1', 'none', [['pending'], bogus])), 'option-invalid', 'a status to')
  await expectError(approvals.change(move('r1', 'none', [[bogus], 'done'])), 'option-invalid', 'a status from')
}

async function listed(storage: Storage): Promise<void> {
  const { approvals } = storage
  const all = [
    asked('r1', 'c1', { threadId: 't1', resourceId: ADA }),
    asked('r2', 'c2', { threadId: 't1', resourceId: BOB }),
    asked('r1', 'c3', { agentId: 'other', threadId: 't2', resourceId: ADA }),
    asked('r2', 'c4'),
    asked('r1', 'c5', { threadId: 't1', resourceId: ADA }),
  ]
  for (const request of all) await ask(storage, request)
  await approvals.change(move('r1', 'c1', APPROVE))
  const ids = async (query: ApprovalQuery) => (await approvals.list(query)).items.map(({ toolCallId }) => toolCallId)
  expectSame(await ids({}), ['c1', 'c2', 'c3', 'c4', 'c5'], 'all')
  expectSame(await ids({ runId: 'r1' }), ['c1', 'c3', 'c5'], 'of a run')
  expectSame(await ids({ runId: ['r2', 'none', 'r1', 'r2'] }), ['c1', 'c2', 'c3', 'c4', 'c5'], 'of some runs')
  expectSame(await ids({ runId: ['r2'], agentId: 'sup' }), ['c2', 'c4'], 'of one of some')
  expectSame(await ids({ runId: [] }), [], 'of no run')
  expectSame((await approvals.list({ runId: ['r1', 'r2'], limit: 2 })).items.length, 2, 'a page of some runs')
  expectSame(await ids({ agentId: 'sup' }), ['c1', 'c2', 'c4', 'c5'], 'of an agent')
  expectSame(await ids({ status: 'pending' }), ['c2', 'c3', 'c4', 'c5'], 'with a status')
  expectSame(await ids({ threadId: 't1' }), ['c1', 'c2', 'c5'], 'of a thread')
  expectSame(await ids({ resourceId: ADA }), ['c1', 'c3', 'c5'], 'of a resource')
  const one = { runId: 'r1', agentId: 'sup', status: 'pending', threadId: 't1', resourceId: ADA } as const
  expectSame(await ids(one), ['c5'], 'all at once')
  expectSame(await approvals.list({ runId: 'none' }), { items: [], unreadable: [] }, 'none')
  expectSame((await approvals.list({})).items[3], await approvals.get({ runId: 'r2', toolCallId: 'c4' }), 'one of them')
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await approvals.list({ agentId: 'sup', limit: 3, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(page.items.map(({ toolCallId }) => toolCallId))
    await ask(storage, asked('r3', `new${pages.length}`))
    cursor = page.next
  } while (cursor !== undefined && pages.length < 9)
  expectSame(
    pages,
    [
      ['c1', 'c2', 'c4'],
      ['c5', 'new1'],
    ],
    'the pages',
  )
  expectSame((await approvals.list({ limit: 7 })).next, undefined, 'a full last page has no next')
  for (const cursor of ['', 'r.1', 'a.-1', 'a.1.5']) {
    await expectError(approvals.list({ cursor }), 'option-invalid', `the cursor ${cursor}`)
  }
  await expectError(approvals.list({ status: 'bogus' as never }), 'option-invalid', 'a status that is none')
}

const PROTO: Value = JSON.parse('{"__proto__":{"polluted":true}}')

async function values(storage: Storage): Promise<void> {
  const { approvals } = storage
  const odd: readonly unknown[] = [false, 0, -0, '', null, [], {}, '\0', '\ud800', PROTO, { $retinue: 'url' }]
  const bytes = Uint8Array.of(0, 255)
  for (const [index, value] of [...odd, bytes, 'é'.repeat(1_000_000)].entries()) {
    const what = `value ${index}: ${String(JSON.stringify(value)).slice(0, 40)}`
    const data = value as Value
    const rest = { toolName: 'é\0', path: ['sup', '__proto__'], fingerprint: '\ud800', expiresAt: 900 }
    const request = asked('r1', `c${index}`, { ...rest, kind: 'suspension', args: data, payload: data })
    await ask(storage, request)
    const key = { runId: 'r1', toolCallId: request.toolCallId }
    expectSame(await approvals.get(key), { ...request, status: 'pending', requestedAt: 100 }, what)
    const decision = { by: '\0', reason: '\ud800', args: data, resumeData: data }
    await approvals.change(move('r1', request.toolCallId, APPROVE, { decision }))
    expectSame((await approvals.get(key))?.decision, decision, `the decision with ${what}`)
  }
  expectTrue(!('polluted' in {}), 'prototypes are clean')
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  await ask(storage, asked('r1', 'pending'))
  for (const decision of [{ args: circle }, { resumeData: () => 1 }, { by: 10n }]) {
    const refused = approvals.change(move('r1', 'pending', APPROVE, { decision: decision as never }))
    const { data } = await expectError(refused, 'storage-value-refused', Object.keys(decision).join())
    expectTrue(String(data['place']).startsWith('decision.'), 'the place')
  }
  for (const changed of [{ runId: '' }, { toolCallId: 'a\0' }, { at: 0.5 }]) {
    const refused = approvals.change(move('r1', 'pending', APPROVE, changed))
    await expectError(refused, 'storage-value-refused', JSON.stringify(changed))
  }
  await expectError(approvals.change(move('r1', 'pending', APPROVE, { round: 0 })), 'option-invalid', 'round 0')
  expectSame((await approvals.get({ runId: 'r1', toolCallId: 'pending' }))?.status, 'pending', 'what was refused')
}
