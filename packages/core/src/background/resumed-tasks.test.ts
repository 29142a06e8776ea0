import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ask, eventsOf, statesOf, times } from '../../test-support/background-team.ts'
import { EventClock } from '../../test-support/event-clock.ts'
import { MortalProcess } from '../../test-support/mortal-process.ts'
import { Agent } from '../agent/index.ts'
import { Retinue } from '../retinue.ts'
import { InMemoryStorage, type Storage } from '../storage/index.ts'
import { type Script, scriptedModels } from '../testing/index.ts'

let clock: EventClock
beforeEach(() => {
  clock = new EventClock()
})
afterEach(() => clock.restore())

const never = new Promise<void>(() => {})

/** A durable supervisor; `deep`: its subagent `mid`, which it waits for, begins the task, and not itself. */
function process(script: Script, storage: Storage, deep: boolean) {
  const models = scriptedModels(script)
  const above = deep ? 'sup/mid' : 'sup'
  const worker = new Agent({ id: 'a', description: 'd', model: models.at(`${above}/a`) })
  const own = { agents: { a: worker }, backgroundTasks: { tools: { a: true } } }
  const mid = (): Agent => new Agent({ id: 'mid', description: 'd', model: models.at('sup/mid'), ...own })
  const model = models.at('sup')
  const outer = { agents: { mid: mid() }, backgroundTasks: { tools: { mid: false } } }
  const sup = deep ? new Agent({ id: 'sup', model, ...outer }) : new Agent({ id: 'sup', model, ...own })
  const app = new Retinue({
    agents: { sup },
    storage,
    durable: true,
    backgroundTasks: { enabled: true },
    logger: false,
  })
  return { app, sup: app.getAgent('sup'), models }
}

describe('B9.6 a run that is resumed', () => {
  test.each([
    ['the run itself', false],
    ['a subagent that it waits for', true],
  ])('the tasks of %s go on at once, while its model is asked, and their states are told', async (_whose, deep) => {
    const storage = new InMemoryStorage()
    const life = new MortalProcess()
    const above = deep ? 'sup/mid' : 'sup'
    const begins = deep ? { sup: [{ calls: [ask('mid')] }] } : {}
    const dying = process(
      {
        ...begins,
        [above]: [{ calls: [ask('a')] }, { after: never, text: '' }],
        [`${above}/a`]: [{ after: never, text: '' }],
      },
      life.storage(storage),
      deep,
    )
    void dying.sup.generate('Go', { runId: 'run' }).catch(() => {})
    await clock.advance(1_000)
    life.die()
    await clock.advance(11_000)

    const answer = Promise.withResolvers<void>()
    const ends = deep ? { sup: [{ text: 'end' }] } : {}
    const next = process(
      {
        ...ends,
        [above]: [{ after: answer.promise, text: 'one' }, { text: 'two' }],
        [`${above}/a`]: [{ text: 'ZEBRA' }],
      },
      storage,
      deep,
    )
    const stream = await clock.until(next.sup.resumeRun({ runId: 'run' }))
    const events = eventsOf(stream)
    await clock.advance(1_000)
    expect(next.models.calls(above)).toHaveLength(1)
    expect((await storage.tasks.list({})).items).toMatchObject([{ status: 'completed' }])
    answer.resolve()
    expect(statesOf(await clock.until(events))).toEqual(['running', 'completed'])
    expect(await stream.finishReason).toBe('stop')
    expect(times(next.models.calls(above).at(-1), 'ZEBRA')).toBe(1)
    next.models.assertDone()
  })
})
