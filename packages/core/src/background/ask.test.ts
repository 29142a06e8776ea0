import { describe, expect, test } from 'vitest'
import { ask, eventsOf, statesOf, team, times } from '../../test-support/background-team.ts'
import { createTool } from '../tools/index.ts'

const asking = { id: 'q', name: 'ask', args: { question: 'Which year?' } }
const answerOf = (text: string, answer: string) => {
  const taskId = /task ([0-9a-f-]{36}) \("a"\) asks/.exec(text)?.[1] ?? 'none'
  return { calls: [{ id: 'ans', name: 'answerTask', args: { taskId, answer } }] }
}
const settings = (to: 'parent' | 'person') => ({ sup: { backgroundTasks: { tools: { a: { ask: to } } } } })

describe('B9.5 a task that asks', () => {
  test('its parent: the question is told once, the task waits for the answer and goes on with it', async () => {
    const { sup, app, models } = team(
      {
        sup: [
          { calls: [ask('a')] },
          { text: 'one' },
          ({ text }) => answerOf(text, '2024'),
          { text: 'answered' },
          { text: 'done' },
        ],
        'sup/a': [{ calls: [asking] }, { text: 'ZEBRA' }],
      },
      settings('parent'),
    )
    const stream = await sup.streamUntilIdle('Go')
    const events = await eventsOf(stream)
    expect(await stream.text).toBe('one\n\nanswered\n\ndone')
    expect(statesOf(events)).toEqual(['started', 'running', 'suspended', 'running', 'completed'])
    const calls = models.calls('sup')
    expect(calls.map((call) => times(call, 'Which year?'))).toEqual([0, 0, 1, 1, 1])
    expect(times(models.calls('sup/a')[1], '2024')).toBe(1)
    expect(times(calls[4], 'ZEBRA')).toBe(1)
    models.assertDone()
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'completed', attempts: 1 }])
  })

  test('a parent that does not answer leaves it to a person: the run is suspended', async () => {
    const { sup, app, models } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'no idea' }, { text: 'done' }],
        'sup/a': [{ calls: [asking] }, { text: 'ZEBRA' }],
      },
      settings('parent'),
    )
    const result = await sup.generate('Go')
    expect(result.finishReason).toBe('suspended')
    expect(result.pendingCalls).toMatchObject([
      { toolName: 'ask', suspendPayload: { question: 'Which year?', to: 'parent' } },
    ])
    const [question] = await app.tasks.questions()
    const stream = await app.tasks.answer(question?.taskId as string, '2023')
    expect(await stream.text).toBe('one\n\nno idea\n\ndone')
    expect(times(models.calls('sup/a')[1], '2023')).toBe(1)
  })

  test('a person: the parent’s model is not told, and has no tool to answer with', async () => {
    const { sup, models } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'done' }],
        'sup/a': [{ calls: [asking] }, { text: 'ZEBRA' }],
      },
      settings('person'),
    )
    const { runId, finishReason } = await sup.generate('Go')
    expect(finishReason).toBe('suspended')
    expect(models.calls('sup')[0]?.tools).toEqual(['a'])
    const result = await sup.resumeGenerate('2022', { runId, toolCallId: 'q' })
    expect(result.text).toBe('one\n\ndone')
    expect(models.calls('sup').some((call) => times(call, 'Which year?') > 0)).toBe(false)
    expect(times(models.calls('sup/a')[1], '2022')).toBe(1)
  })

  test('else it has no such tool', async () => {
    const { sup, models } = team({
      sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
      'sup/a': [{ text: 'A' }],
    })
    await sup.generate('Go')
    expect(models.calls('sup/a')[0]?.tools).toEqual([])
  })

  test('B7.6 the parent’s model answers nothing but what it was asked: no approval, no other tool that waits, no task that is not its own', async () => {
    const ran: unknown[] = []
    const act = createTool({ id: 'act', requireApproval: true, execute: () => void ran.push(1) })
    const { sup, app } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one' }],
        'sup/a': [{ calls: [{ id: 'x', name: 'act', args: {} }] }],
      },
      { ...settings('parent'), children: { a: { tools: { act } } } },
    )
    const first = await sup.generate('Go')
    expect(first.finishReason).toBe('suspended')
    const [task] = (await app.tasks.list()).items
    const other = team(
      {
        sup: [
          { calls: [{ id: 'ans', name: 'answerTask', args: { taskId: task?.taskId, answer: 'yes' } }] },
          { text: 'end' },
        ],
        'sup/a': [],
      },
      settings('parent'),
    )
    const { toolResults } = await other.sup.generate('Go')
    expect(toolResults[0]?.error?.message).toContain('asks nothing')
    expect(ran).toEqual([])
  })

  test('a tool of the agent’s own under such a name is an error', async () => {
    const own = createTool({ id: 'x', execute: () => 1 })
    const { sup } = team({ sup: [], 'sup/a': [] }, { sup: { ...settings('parent').sup, tools: { answerTask: own } } })
    await expect(sup.generate('Go')).rejects.toMatchObject({ code: 'name-collision' })
    const child = team(
      { sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }], 'sup/a': [] },
      { ...settings('person'), children: { a: { tools: { ask: own } } } },
    )
    await child.sup.generate('Go')
    expect((await child.app.tasks.list()).items).toMatchObject([
      { status: 'failed', error: { code: 'name-collision' } },
    ])
  })
})
