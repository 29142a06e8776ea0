import { describe, expect, test } from 'vitest'
import { ask, eventsOf, statesOf, team, times } from '../../test-support/background-team.ts'

describe('B9.2 a run that stays open for its tasks', () => {
  test('the call returns at once with a placeholder, and the run ends when its model has answered to the result', async () => {
    const go = Promise.withResolvers<void>()
    const { sup, models } = team({
      sup: [
        { calls: [ask('a')] },
        () => {
          go.resolve()
          return { text: 'Started.' }
        },
        { text: 'All done.' },
      ],
      'sup/a': [{ text: 'ZEBRA', after: go.promise }],
    })
    const stream = await sup.streamUntilIdle('Go')
    const events = await eventsOf(stream)
    expect(await stream.text).toBe('Started.\n\nAll done.')
    expect(await stream.finishReason).toBe('stop')
    models.assertDone()
    const own = events.filter(({ runId }) => runId === stream.runId)
    expect(own.filter(({ type }) => type === 'start')).toHaveLength(1)
    expect(own.filter(({ type }) => type === 'finish')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('finish')
    expect(statesOf(events)).toEqual(['started', 'running', 'completed'])
    const calls = models.calls('sup')
    expect(calls.map((call) => times(call, 'ZEBRA'))).toEqual([0, 0, 1])
    expect(times(calls[1], 'in the background')).toBe(1)
    // The placeholder stays.
    expect(times(calls[2], 'goes on in the background')).toBe(1)
    expect(models.calls('sup/a')).toHaveLength(1)
  })

  test('B9.3 results that come in while the parent is busy are handed over together, each once', async () => {
    const done = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { sup, app, models } = team({
      sup: [
        { calls: [ask('a'), ask('b'), ask('c')] },
        async () => {
          for (const each of done) each.resolve()
          await app.tasks.settled()
          return { text: 'Started.' }
        },
        { text: 'All done.' },
      ],
      'sup/a': [{ text: 'ONE', after: done[0]?.promise as Promise<void> }],
      'sup/b': [{ text: 'TWO', after: done[1]?.promise as Promise<void> }],
      'sup/c': [{ text: 'THREE', after: done[2]?.promise as Promise<void> }],
    })
    const result = await sup.generate('Go', { untilIdle: true })
    expect(result.text).toBe('Started.\n\nAll done.')
    const last = models.calls('sup').at(-1)
    for (const text of ['ONE', 'TWO', 'THREE']) expect(times(last, text)).toBe(1)
    expect(last?.prompt.filter(({ role }) => role === 'user')).toHaveLength(2)
  })
})
