import type { Storage } from '../../storage/storage.ts'
import type { NewTask, TaskChange, TaskQuery, TaskStatus } from '../../storage/tasks.ts'
import { expectError, expectSame } from './expectations.ts'
import { ADA, BOB, type StorageCase, said, storageCase } from './storage-case.ts'
import { endedTasks, task, taskMove } from './task-case.ts'

const ENDED = ['completed', 'failed', 'cancelled', 'timed-out'] as const
const STATUSES: readonly TaskStatus[] = ['pending', 'running', 'suspended', ...ENDED]

/** Tasks as they are written, moved, listed and deleted. */
export const taskCases: readonly StorageCase[] = [
  storageCase('B9.4 a task that is written is pending, and each move shows in it', written),
  storageCase('B9.4 the id of a task is had once', async ({ tasks }) => {
    await tasks.create(task('t1'))
    const again = await expectError(tasks.create(task('t1', { args: 'other' })), 'storage-conflict', 'again')
    expectSame(again.data['taskId'], 't1', 'which it is')
    const tries = Array.from({ length: 8 }, (_none, args) => tasks.create(task('t2', { args })))
    const outcomes = await Promise.allSettled(tries)
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
    for (const [n, each] of tries.entries()) if (n !== winner) await expectError(each, 'storage-conflict', `try ${n}`)
    expectSame([(await tasks.get('t1')).args, (await tasks.get('t2')).args], [{ prompt: 't1' }, winner], 'what stands')
    expectSame((await tasks.list({})).items.length, 2, 'how many there are')
    await expectError(tasks.get('none'), 'task-not-found', 'one that is not there')
  }),
  storageCase('B9.4 a move is made from where it begins, and by one of eight who come at once', async ({ tasks }) => {
    await tasks.create(task('t1'))
    const before = await tasks.get('t1')
    for (const from of [[], ['running'], ['suspended', 'running']] as const)
      expectSame(await tasks.change(taskMove('t1', [from, 'running'])), undefined, `from ${from}`)
    expectSame(await tasks.change(taskMove('none', [['pending'], 'running'])), undefined, 'of none')
    expectSame(await tasks.get('t1'), before, 'nothing was written')
    const moves: Partial<TaskChange>[] = Array.from({ length: 8 }, (_none, n) => ({ attempts: n + 1 }))
    const moved = await Promise.all(moves.map((more) => tasks.change(taskMove('t1', [['pending'], 'running'], more))))
    const winners = moved.filter((each) => each !== undefined)
    expectSame(winners.length, 1, 'how many made it')
    expectSame(await tasks.get('t1'), winners[0], 'what is there')
    // One that has ended can't be ended otherwise.
    const ends = await Promise.all(
      [...ENDED, ...ENDED].map((to) => tasks.change(taskMove('t1', [['running'], to], { outcome: to }))),
    )
    expectSame(ends.filter((each) => each !== undefined).length, 1, 'how many ended it')
    const { status, outcome } = await tasks.get('t1')
    expectSame(outcome, status, 'of one hand')
  }),
  storageCase('B9.4 a final state never changes again, and only it has an outcome or an error', final),
  storageCase('B9.5 tasks are listed by what they are and by pages, in the order in which they were made', listed),
  storageCase('B9.3 a task is undelivered from its end until it was told, if its thread is told', async (storage) => {
    const { tasks } = storage
    const ids = async (query: TaskQuery) =>
      (await tasks.list({ ...query, undelivered: true })).items.map(({ taskId }) => taskId)
    const chat = { threadId: 't', resourceId: ADA }
    for (const [n, status] of STATUSES.entries()) {
      await tasks.create(task(`t${n}`, chat))
      if (status !== 'pending') await tasks.change(taskMove(`t${n}`, [['pending'], status]))
    }
    await endedTasks(storage, ['other'], { threadId: 't', resourceId: BOB })
    await endedTasks(storage, ['run'], { ...chat, tells: 'run' })
    await endedTasks(storage, ['none'])
    expectSame(await ids(chat), ['t3', 't4', 't5', 't6'], 'of a thread')
    expectSame(await ids({ ...chat, status: 'failed' }), ['t4'], 'with a status')
    expectSame(await ids({ threadId: 't' }), ['t3', 't4', 't5', 't6', 'other'], 'whoever owns it')
    expectSame(await ids({}), ['t3', 't4', 't5', 't6', 'other', 'none'], 'all')
    expectSame(await ids({ status: [] }), [], 'with no status')
    expectSame(await ids({ agentId: 'other' }), [], 'of an agent')
    await tasks.claim({ taskIds: ['t4', 't5'], by: 'a', until: 400, at: 300 })
    expectSame(await ids(chat), ['t3', 't4', 't5', 't6'], 'claimed is not told')
    await tasks.deliver({ taskIds: ['t4'], by: 'a', at: 310 })
    expectSame(await ids(chat), ['t3', 't5', 't6'], 'told')
    expectSame(
      (await tasks.list({ ...chat, limit: 2, undelivered: true })).items.map(({ taskId }) => taskId),
      ['t3', 't5'],
      'a page',
    )
  }),
  storageCase('B9.4 a task is deleted with what was said to it, and its id is free', async ({ tasks }) => {
    await tasks.create(task('t1'))
    await tasks.create(task('t2'))
    for (const taskId of ['t1', 't2']) await tasks.send({ taskId, text: 'hurry', at: 1 })
    await tasks.remove('t1')
    await tasks.remove('t1')
    await expectError(tasks.get('t1'), 'task-not-found', 'get')
    await expectError(tasks.send({ taskId: 't1', text: 'x', at: 1 }), 'task-not-found', 'send')
    expectSame(await tasks.change(taskMove('t1', [['pending'], 'running'])), undefined, 'change')
    expectSame(await tasks.claim({ taskIds: ['t1'], by: 'a', until: 9, at: 1 }), [], 'claim')
    await tasks.deliver({ taskIds: ['t1'], by: 'a', at: 1 })
    expectSame(await tasks.messages({ taskId: 't1', after: 0 }), [], 'messages')
    expectSame((await tasks.messages({ taskId: 't2', after: 0 })).length, 1, 'those of another')
    await tasks.create(task('t1'))
    expectSame(await tasks.messages({ taskId: 't1', after: 0 }), [], 'messages of who has the id then')
    expectSame(
      (await tasks.list({})).items.map(({ taskId }) => taskId),
      ['t2', 't1'],
      'it is the last then',
    )
  }),
  storageCase('B9.3 a thread that is deleted takes its tasks along; a copy of it has none', ofThreads),
]

async function written({ tasks }: Storage): Promise<void> {
  const conversation = { threadId: 't', resourceId: ADA }
  const run = { rootRunId: 'root', parentTree: 'tree', parentRunId: 'run', agentId: 'sup', path: ['sup', 'editor'] }
  const given = { ...run, ...conversation, tells: 'run', toolName: 'writer', toolCallId: 'c1' } as const
  await tasks.create(task('t1', given))
  const facts = { taskId: 't1', ...given, createdAt: 100 }
  const bodies = { args: { prompt: 't1' }, terms: { timeoutMs: 5 }, claims: 0 }
  expectSame(await tasks.get('t1'), { ...facts, ...bodies, status: 'pending', attempts: 0 }, 'new')
  const first = { ...facts, ...bodies, status: 'running', attempts: 1, startedAt: 200 }
  expectSame(await tasks.change(taskMove('t1', [['pending'], 'running'], { attempts: 1 })), first, 'begun')
  const waits = { ...first, status: 'suspended' }
  expectSame(await tasks.change(taskMove('t1', [['running'], 'suspended'], { at: 210 })), waits, 'waiting')
  const again = { ...first, attempts: 2 }
  const retried = taskMove('t1', [['pending', 'suspended'], 'running'], { attempts: 2, at: 220 })
  expectSame(await tasks.change(retried), again, 'tried again: it began when it first did')
  const queued = { ...again, status: 'pending' }
  expectSame(await tasks.change(taskMove('t1', [['running'], 'pending'], { at: 230 })), queued, 'back in the queue')
  const error = { code: 'tool-failed', message: 'no\0pe \ud800' }
  const outcome = { text: 'half' }
  const failed = { ...queued, status: 'failed', endedAt: 240, error, outcome }
  const end = taskMove('t1', [['pending'], 'failed'], { error, outcome, at: 240 })
  expectSame(await tasks.change(end), failed, 'ended')
  expectSame(await tasks.get('t1'), failed, 'what get gives')
  const { args: _args, terms: _terms, claims: _claims, outcome: _outcome, ...listed } = failed
  expectSame((await tasks.list({})).items, [listed], 'what list gives')
  // One that never began has no beginning.
  await tasks.create(task('t2'))
  const cancelled = await tasks.change(taskMove('t2', [['pending'], 'cancelled']))
  expectSame([cancelled?.startedAt, cancelled?.endedAt, cancelled?.attempts], [undefined, 200, 0], 'never begun')
}

async function final({ tasks }: Storage): Promise<void> {
  for (const status of ENDED) {
    await tasks.create(task(status))
    await tasks.change(taskMove(status, [['pending'], status], { outcome: 1 }))
    const before = await tasks.get(status)
    for (const to of STATUSES) {
      const open = taskMove(status, [['pending', 'running', 'suspended'], to], { attempts: 9, at: 900 })
      expectSame(await tasks.change(open), undefined, `${status} to ${to}`)
      const error = await expectError(
        tasks.change(taskMove(status, [['pending', status], to])),
        'option-invalid',
        `from ${status} to ${to}`,
      )
      expectSame(error.data['option'], 'from', 'the option')
    }
    expectSame(await tasks.get(status), before, `${status} stays`)
  }
  await tasks.create(task('t1'))
  const before = await tasks.get('t1')
  for (const to of ['pending', 'running', 'suspended'] as const) {
    for (const [option, more] of Object.entries({
      outcome: { outcome: null },
      error: { error: { code: 'c', message: 'm' } },
    })) {
      const error = await expectError(tasks.change(taskMove('t1', [['pending'], to], more)), 'option-invalid', to)
      expectSame(error.data['option'], option, 'the option')
    }
  }
  for (const attempts of [-1, 0.5, Number.NaN])
    await expectError(
      tasks.change(taskMove('t1', [['pending'], 'running'], { attempts })),
      'option-invalid',
      'attempts',
    )
  const unknown = 'ended' as TaskStatus
  await expectError(tasks.change(taskMove('t1', [[unknown], 'running'])), 'option-invalid', 'a status that is none')
  await expectError(tasks.change(taskMove('t1', [['pending'], unknown])), 'option-invalid', 'a status that is none')
  expectSame(await tasks.get('t1'), before, 'nothing was written')
}

async function listed({ tasks }: Storage): Promise<void> {
  const all: readonly Partial<NewTask>[] = [
    { agentId: 'a', threadId: 't', resourceId: ADA },
    { agentId: 'a', threadId: 't', resourceId: BOB, parentRunId: 'p1', parentTree: 'p1' },
    { agentId: 'b', threadId: 'u', resourceId: ADA, rootRunId: 'r2', parentRunId: 'p1' },
    { agentId: 'a' },
    { agentId: 'a', threadId: 't', resourceId: ADA, rootRunId: 'r2' },
  ]
  // Their clocks say nothing of the order, nor does which was changed last.
  for (const [n, each] of all.entries()) await tasks.create(task(`t${n}`, { ...each, at: 500 - n }))
  await tasks.change(taskMove('t4', [['pending'], 'running']))
  await tasks.change(taskMove('t2', [['pending'], 'running']))
  await tasks.change(taskMove('t0', [['pending'], 'completed'], { outcome: 'x' }))
  const ids = async (query: TaskQuery) => (await tasks.list(query)).items.map(({ taskId }) => taskId)
  for (const [query, expected] of [
    [{}, ['t0', 't1', 't2', 't3', 't4']],
    [{ rootRunId: 'r2' }, ['t2', 't4']],
    [{ parentRunId: 'p1' }, ['t1', 't2']],
    [{ agentId: 'a' }, ['t0', 't1', 't3', 't4']],
    [{ threadId: 't' }, ['t0', 't1', 't4']],
    [{ resourceId: ADA }, ['t0', 't2', 't4']],
    [{ threadId: 't', resourceId: ADA }, ['t0', 't4']],
    [{ status: 'running' }, ['t2', 't4']],
    [{ status: ['completed', 'running', 'failed'] }, ['t0', 't2', 't4']],
    [{ status: ['pending', 'pending'], agentId: 'a' }, ['t1', 't3']],
    [{ status: [] }, []],
    [{ rootRunId: 'r2', parentRunId: 'p1', agentId: 'b', threadId: 'u', resourceId: ADA, status: 'running' }, ['t2']],
    [{ agentId: 'none' }, []],
  ] as const satisfies readonly (readonly [TaskQuery, readonly string[]])[])
    expectSame(await ids(query), expected, JSON.stringify(query))
  const pages: unknown[] = []
  let cursor: string | undefined
  do {
    const page = await tasks.list({ agentId: 'a', limit: 3, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(page.items.map(({ taskId }) => taskId))
    await tasks.create(task(`new${pages.length}`, { agentId: 'a' }))
    cursor = page.next
  } while (cursor !== undefined && pages.length < 9)
  expectSame(
    pages,
    [
      ['t0', 't1', 't3'],
      ['t4', 'new1'],
    ],
    'the pages',
  )
  expectSame((await tasks.list({ agentId: 'a', limit: 6 })).next, undefined, 'a full last page has no next')
  for (let n = 0; n < 100; n++) await tasks.create(task(`more${n}`, { agentId: 'many' }))
  expectSame((await tasks.list({})).items.length, 100, 'a page of its own')
  for (const wrong of ['', 'r.1', 't.0', 't.x', 't.1.2', 'a.1'])
    await expectError(tasks.list({ cursor: wrong }), 'option-invalid', `the cursor ${wrong}`)
  await expectError(tasks.list({ limit: 0 }), 'option-invalid', 'no limit')
  await expectError(tasks.list({ status: ['pending', 'x' as never] }), 'option-invalid', 'a status that is none')
  for (const name of ['rootRunId', 'parentRunId', 'agentId', 'threadId', 'resourceId'])
    await expectError(tasks.list({ [name]: '' }), 'storage-value-refused', name)
}

async function ofThreads(storage: Storage): Promise<void> {
  const { tasks, threads } = storage
  const of = (threadId: string, resourceId: string = ADA) => ({ threadId, resourceId })
  for (const threadId of ['t', 'u']) await threads.create({ ...of(threadId), at: 1 })
  await tasks.create(task('its', of('t')))
  await tasks.create(task('running', of('t')))
  await tasks.change(taskMove('running', [['pending'], 'running']))
  await endedTasks(storage, ['ended'], of('t'))
  await tasks.send({ taskId: 'its', text: 'x', at: 1 })
  await tasks.create(task('bobs', of('t', BOB)))
  await tasks.create(task('ownerless', { threadId: 't' }))
  await tasks.create(task('other', of('u')))
  await tasks.create(task('none'))
  const ids = async () => (await tasks.list({})).items.map(({ taskId }) => taskId)
  await threads.clone({ ...of('t'), newThreadId: 'copy', at: 1 })
  expectSame((await ids()).length, 7, 'a copy has none')
  await expectError(threads.delete(of('t', BOB)), 'thread-not-found', 'a thread of another')
  expectSame((await ids()).length, 7, 'after it was refused')
  await threads.delete(of('copy'))
  expectSame((await ids()).length, 7, 'after the copy was deleted')
  await threads.delete(of('t'))
  expectSame(await ids(), ['bobs', 'ownerless', 'other', 'none'], 'what is left')
  expectSame(await tasks.messages({ taskId: 'its', after: 0 }), [], 'what was said to them')
  expectSame(await tasks.change(taskMove('running', [['running'], 'completed'])), undefined, 'who worked on one')
  // An owner that is called something else.
  const turn = { ...of('child', 'ada/child'), calledAs: 'called', messages: [said('m1')], lastMessages: 0, at: 1 }
  for (const [n, key] of [of('child', 'called'), of('child', 'ada/child')].entries()) {
    await threads.beginTurn(turn)
    await tasks.create(task(`owner${n}`, of('child', 'ada/child')))
    await tasks.create(task(`called${n}`, of('child', 'called')))
    await threads.delete(key)
    expectSame(await ids(), ['bobs', 'ownerless', 'other', 'none'], `deleted by ${key.resourceId}`)
  }
}
