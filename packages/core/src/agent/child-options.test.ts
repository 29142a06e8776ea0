import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '../testing/scripted-model.ts'
import { Agent } from './agent.ts'
import type { RunOptions } from './run-options.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const forever = new Promise<never>(() => {})

function team(defaultOptions: RunOptions, child: ScriptedTurn[]) {
  const script = scriptedModels({
    lead: [{ calls: [{ name: 'child', args: { prompt: 'Go' } }] }, { text: 'done' }],
    'lead/child': child,
  })
  const agents = {
    child: new Agent({ id: 'c', description: 'Works.', model: script.at('lead/child'), defaultOptions }),
  }
  return { script, lead: new Agent({ id: 'lead', model: script.at('lead'), agents }) }
}

describe('B2.3 a child has its own settings', () => {
  test('its own totalMs ends it alone, as timed-out; the parent reads that and goes on', async () => {
    const { script, lead } = team({ timeout: { totalMs: 50 } }, [{ after: forever }])
    const run = lead.generate('Go')
    await vi.advanceTimersByTimeAsync(50)
    const { text, toolResults } = await run
    expect(text).toBe('done')
    expect(toolResults[0]?.result).toMatchObject({
      status: 'timed-out',
      finishReason: 'aborted',
      error: { code: 'run-timed-out' },
    })
    expect(script.calls('lead')[1]?.text).toContain('[child: timed-out. The run took longer than 50 ms.]')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('its own abortSignal ends it alone, and is let go of', async () => {
    const abort = new AbortController()
    const { lead } = team({ abortSignal: abort.signal }, [
      () => {
        abort.abort()
        return { after: forever }
      },
    ])
    const { text, toolResults } = await lead.generate('Go')
    expect(text).toBe('done')
    expect(toolResults[0]?.result).toMatchObject({ status: 'cancelled' })
  })

  test('a child that ends in time leaves no clock behind', async () => {
    const { lead } = team({ timeout: { totalMs: 50 } }, [{ text: 'quick' }])
    await lead.generate('Go')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('its own providers make its models, and the root’s come first', async () => {
    const child = new Agent({
      id: 'c',
      description: 'Works.',
      model: 'mine/x',
      defaultOptions: { providers: { mine: () => scriptedModel([{ text: 'own' }]) } },
    })
    const turns: ScriptedTurn[] = [{ calls: [{ name: 'child', args: { prompt: 'Go' } }] }, { text: 'done' }]
    const resultOf = async (options?: RunOptions) => {
      const lead = new Agent({ id: 'lead', model: scriptedModel(turns), agents: { child } })
      return (await lead.generate('Go', options)).toolResults[0]?.result
    }
    expect(await resultOf()).toMatchObject({ text: 'own' })
    expect(await resultOf({ providers: { mine: () => scriptedModel([{ text: 'root' }]) } })).toMatchObject({
      text: 'root',
    })
  })
})

test('B2.8 a provider that gives every call the same id costs no search', async () => {
  const calls = Array.from({ length: 200 }, () => ({ id: 'same', name: 'nope', args: {} }))
  const { toolCalls } = await new Agent({
    id: 'a',
    model: scriptedModel([{ calls }, { calls }, { text: 'x' }]),
  }).generate('Go')
  expect(new Set(toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(400)
  expect(toolCalls.at(-1)?.toolCallId).toBe('same_400')
})
