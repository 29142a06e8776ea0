import { Retinue } from '@retinue/core'
import { Agent, type RunOptions } from '@retinue/core/agent'
import { scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import type { DelegationItem, TurnItem } from './turn-items.ts'
import { failedTurn, newTurn, reduceTurn, resumedTurn, type TurnState, tokensOf } from './turn-state.ts'

/** The states of a turn, one for each event, with a clock that goes on by 5 ms an event. */
async function statesOf(
  agent: Agent,
  abort?: (turn: TurnState) => boolean,
  options: RunOptions = {},
): Promise<TurnState[]> {
  const stream = await agent.stream('Go', options)
  let now = 0
  const states: TurnState[] = [{ ...newTurn(agent.id, now), runId: stream.runId }]
  for await (const chunk of stream.events) {
    now += 5
    const next = reduceTurn(states.at(-1) as TurnState, chunk, now)
    states.push(next)
    if (abort?.(next)) stream.abort()
  }
  return states
}

function delegations(items: readonly TurnItem[]): DelegationItem[] {
  return items.filter((item) => item.kind === 'delegation')
}

const peek = createTool({ id: 'peek', execute: () => ({ seen: 0 }) })

/** lead → scout twice in one step → guide, with a tool and texts between. */
function tree(): Agent {
  const script = scriptedModels({
    lead: [
      {
        text: 'I ask.',
        calls: [
          { name: 'scout', args: { prompt: 'North' } },
          { name: 'scout', args: { prompt: 'South' } },
        ],
      },
      { text: 'Both looked.' },
    ],
    'lead/scout': [
      { calls: [{ name: 'peek', args: { at: 'north' } }] },
      { calls: [{ name: 'guide', args: { prompt: 'Lead me' } }] },
      { text: 'one' },
      { text: 'two' },
    ],
    'lead/scout/guide': [{ text: 'This way' }],
  })
  const guide = new Agent({ id: 'g', description: 'Guides.', model: script.at('lead/scout/guide') })
  const scout = new Agent({
    id: 's',
    description: 'Scouts.',
    model: script.at('lead/scout'),
    tools: { peek },
    agents: { guide },
  })
  return new Agent({ id: 'lead', model: script.at('lead'), agents: { scout } })
}

test('what happened stands in its order, each thing in its own run', async () => {
  const states = await statesOf(tree())
  const turn = states.at(-1) as TurnState
  expect(turn.items.map(({ kind }) => kind)).toEqual(['text', 'delegation', 'delegation', 'text'])
  expect(turn).toMatchObject({ state: 'done', finishReason: 'stop', agent: 'lead', model: { used: 'scripted/lead' } })
  const both = delegations(turn.items)
  // The two calls of one step have one key: only their ids tell them apart.
  expect(both.map(({ prompt, state }) => [prompt, state])).toEqual([
    ['North', 'done'],
    ['South', 'done'],
  ])
  const inside = both.flatMap(({ items }) => items)
  expect(
    inside.map((item) => (item.kind === 'tool' ? item.name : item.kind === 'delegation' ? item.key : item.text)).sort(),
  ).toEqual(['guide', 'one', 'peek', 'two'])
  expect(delegations(inside)[0]?.items).toMatchObject([{ kind: 'text', text: 'This way' }])
})

test('times begin and end with what they are of, and tokens add up while it runs and after', async () => {
  const states = await statesOf(tree())
  const turn = states.at(-1) as TurnState
  expect(turn.startedAt).toBe(0)
  expect(turn.endedAt).toBe((states.length - 1) * 5)
  for (const { startedAt, endedAt = 0 } of delegations(turn.items)) expect(endedAt).toBeGreaterThan(startedAt)
  // Seven calls of 15 tokens.
  expect(tokensOf(turn)).toBe(105)
  const sums = states.map(tokensOf)
  expect(sums).toEqual([...sums].sort((a, b) => a - b))
  expect(sums.at(-2)).toBe(105)
})

test('a state is never changed: an earlier one still says what it said', async () => {
  const states = await statesOf(tree())
  expect(states[0]?.items).toEqual([])
  const running = states.find(({ items }) => delegations(items).some(({ state }) => state === 'running'))
  expect(running?.state).toBe('running')
})

test('what failed says why: a tool, a delegation, the turn', async () => {
  const script = scriptedModels({
    lead: [
      {
        calls: [
          { name: 'scout', args: { prompt: 'Look' } },
          { name: 'nope', args: {} },
        ],
      },
      { text: '', finish: 'error' },
    ],
    'lead/scout': [{ text: '' }],
  })
  const scout = new Agent({ id: 's', description: 'Scouts.', model: script.at('lead/scout') })
  const turn = (await statesOf(new Agent({ id: 'lead', model: script.at('lead'), agents: { scout } }))).at(-1)
  expect(turn?.items).toMatchObject([
    { kind: 'delegation', state: 'failed', problem: { message: expect.stringContaining('without an answer') } },
    { kind: 'tool', state: 'failed', problem: { code: 'tool-unknown' } },
  ])
  expect(turn).toMatchObject({ state: 'failed', problem: { code: 'model-call-failed', hint: expect.any(String) } })
})

test('a stopped turn is cancelled, and so is all that ran in it; nothing of it failed', async () => {
  const script = scriptedModels({
    lead: [{ calls: [{ name: 'scout', args: { prompt: 'Look' } }] }],
    'lead/scout': [{ after: new Promise(() => {}) }],
  })
  const scout = new Agent({ id: 's', description: 'Scouts.', model: script.at('lead/scout') })
  const lead = new Agent({ id: 'lead', model: script.at('lead'), agents: { scout } })
  const states = await statesOf(lead, ({ items }) => delegations(items).length > 0)
  const turn = states.at(-1)
  expect(turn).toMatchObject({ state: 'cancelled', finishReason: 'aborted' })
  expect(turn?.items).toMatchObject([{ kind: 'delegation', state: 'cancelled', endedAt: expect.any(Number) }])
  expect(turn?.items[0]).not.toHaveProperty('problem')
})

test('a tool that was let go when the turn was stopped is cancelled, and has no problem', async () => {
  const hang = createTool({ id: 'hang', execute: () => new Promise(() => {}) })
  const script = scriptedModels({ lead: [{ calls: [{ name: 'hang', args: {} }] }] })
  const lead = new Agent({ id: 'lead', model: script.at('lead'), tools: { hang } })
  const turn = (await statesOf(lead, ({ items }) => items.length > 0)).at(-1)
  expect(turn?.items).toMatchObject([{ kind: 'tool', name: 'hang', state: 'cancelled' }])
  expect(turn?.items[0]).not.toHaveProperty('problem')
})

test('a turn that breaks outside of its run leaves nothing running', async () => {
  const states = await statesOf(tree())
  const running = states.find(({ items }) => delegations(items).length > 0) as TurnState
  const turn = failedTurn(running, { message: 'Gone' }, 99)
  expect(turn).toMatchObject({ state: 'failed', endedAt: 99, problem: { message: 'Gone' } })
  expect(delegations(turn.items)[0]).toMatchObject({ state: 'cancelled', endedAt: 99 })
})

test('B7.2 what waits stands in its place, and a turn that goes on has what waited in it', async () => {
  const script = scriptedModels({
    lead: [{ calls: [{ name: 'scout', args: { prompt: 'Fell' } }] }, { text: 'Done.' }],
    'lead/scout': [{ calls: ['oak', 'elm'].map((tree) => ({ name: 'fell', args: { tree } })) }, { text: 'Felled.' }],
  })
  const fell = createTool({ id: 'fell', requireApproval: true, execute: () => 'felled' })
  const scout = new Agent({ id: 's', description: 'Scouts.', model: script.at('lead/scout'), tools: { fell } })
  const lead = new Agent({ id: 'lead', model: script.at('lead'), agents: { scout } })
  const waiting = (await statesOf(lead)).at(-1) as TurnState
  const scouted = (turn: TurnState): unknown =>
    (delegations(turn.items)[0]?.items ?? []).map((item) => 'state' in item && item.state)
  expect(waiting).toMatchObject({ state: 'waiting', finishReason: 'suspended', items: [{ state: 'waiting' }] })
  expect(scouted(waiting)).toEqual(['waiting', 'waiting'])
  const decided = async (turn: TurnState, approve: boolean): Promise<TurnState> => {
    const [call] = (await lead.listSuspendedRuns()).runs[0]?.toolCalls ?? []
    const options = { runId: turn.runId, toolCallId: call?.toolCallId ?? '' }
    const stream = await (approve ? lead.approveToolCall(options) : lead.declineToolCall(options))
    let next = resumedTurn(turn, options.toolCallId, 100)
    expect(next).toMatchObject({ state: 'running', startedAt: 100, items: [{ kind: 'delegation', state: 'running' }] })
    for await (const chunk of stream.events) next = reduceTurn(next, chunk, 105)
    return next
  }
  const other = await decided(waiting, true)
  expect([other.state, scouted(other)]).toEqual(['waiting', ['done', 'waiting']])
  const last = await decided(other, false)
  expect(last).toMatchObject({ state: 'done', items: [{ state: 'done' }, { text: 'Done.' }] })
  expect(delegations(last.items)[0]?.items).toMatchObject([{ name: 'fell', state: 'declined' }, { text: 'Felled.' }])
})

/** lead → scout in the background, where a tool waits for a person if it is asked to; and a tool there. */
function inBackground(scout: object[]): { lead: Agent; go: () => void } {
  const go = Promise.withResolvers<void>()
  const script = scriptedModels({
    lead: [
      {
        calls: [
          { name: 'scout', args: { prompt: 'Look' } },
          { name: 'slow', args: {} },
        ],
      },
      () => {
        go.resolve()
        return { text: 'Begun.' }
      },
      { text: 'One.' },
      { text: 'Two.' },
    ],
    'lead/scout': scout,
  })
  const slow = createTool({ id: 'slow', background: true, execute: () => go.promise.then(() => 'done') })
  const fell = createTool({ id: 'fell', requireApproval: true, execute: () => 'felled' })
  const agents = {
    scout: new Agent({ id: 's', description: 'Scouts.', model: script.at('lead/scout'), tools: { fell } }),
  }
  const backgroundTasks = { tools: { scout: true } }
  const lead = new Agent({ id: 'lead', model: script.at('lead'), tools: { slow }, agents, backgroundTasks })
  const app = new Retinue({ agents: { lead }, backgroundTasks: { enabled: true }, logger: false })
  return { lead: app.getAgent('lead') as Agent, go: go.resolve }
}

test('B9.2 a task is a line with its state: in the background, then how it ended, with what is inside it', async () => {
  const states = await statesOf(inBackground([{ text: 'Seen.' }]).lead, undefined, { untilIdle: true })
  const begun = states.find(({ items }) => items.some((item) => item.kind !== 'text' && item.state === 'background'))
  expect(begun?.state).toBe('running')
  const slow = states.map(({ items }) => items.find((item) => item.kind === 'tool' && item.name === 'slow'))
  const seen = slow.flatMap((item) => (item?.kind === 'tool' ? [item.state] : []))
  expect(seen.filter((state, at) => state !== seen[at - 1])).toEqual(['running', 'background', 'done'])
  const turn = states.at(-1) as TurnState
  expect(turn.state).toBe('done')
  const tasks = turn.items.filter((item) => item.kind !== 'text')
  expect(tasks).toMatchObject([
    { kind: 'delegation', key: 'scout', state: 'done', task: expect.any(String), items: [{ text: 'Seen.' }] },
    { kind: 'tool', name: 'slow', state: 'done', task: expect.any(String) },
  ])
})

test('B9.4 a task that waits, or goes on when its turn ends, is neither done nor cancelled; one that failed says why', async () => {
  const waits = await statesOf(inBackground([{ calls: [{ name: 'fell', args: {} }] }]).lead, undefined, {
    untilIdle: true,
  })
  expect(waits.at(-1)).toMatchObject({
    state: 'waiting',
    items: [{ kind: 'delegation', state: 'waiting' }, {}, {}, {}],
  })

  const failed = await statesOf(inBackground([{ text: '' }]).lead, undefined, { untilIdle: true })
  const [scout] = failed.at(-1)?.items ?? []
  expect(scout).toMatchObject({ state: 'failed', problem: { message: expect.stringContaining('without an answer') } })

  const running = { kind: 'delegation', runId: 'r', callId: 'c', key: 'k', prompt: '', state: 'running' } as const
  const items: TurnItem[] = [{ ...running, startedAt: 0, ownTokens: 0, items: [], task: 't' }]
  expect(failedTurn({ ...newTurn('a', 0), items }, { message: 'x' }, 5).items[0]).toMatchObject({ state: 'background' })
})

test('B9.3 a task that an earlier turn began is a line of the turn that hears of it', () => {
  const payload = { taskId: 't', toolCallId: 'of an earlier turn', toolName: 'scout', result: 1 }
  const chunk = { type: 'background-task-completed', runId: 'other', from: 'AGENT', path: ['lead'], payload } as const
  const { items } = reduceTurn({ ...newTurn('lead', 0), runId: 'mine' }, chunk, 5)
  expect(items).toMatchObject([{ kind: 'tool', name: 'scout', state: 'done', task: 't' }])
})

test('B9.2 that a call goes on in the background is not its end', () => {
  const item = {
    kind: 'tool',
    callId: 'c',
    name: 'slow',
    args: {},
    state: 'background',
    startedAt: 0,
    task: 't',
  } as const
  const turn: TurnState = { ...newTurn('lead', 0), runId: 'r', items: [item] }
  const result = { background: true, taskId: 't', message: 'It goes on.' }
  const payload = { toolCallId: 'c', toolName: 'slow', args: {}, result }
  const next = reduceTurn(turn, { type: 'tool-result', runId: 'r', from: 'AGENT', path: ['lead'], payload }, 5)
  expect(next.items).toEqual([item])
})
