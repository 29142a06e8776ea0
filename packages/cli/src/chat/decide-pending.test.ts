import { Agent, type RunResult } from '@retinue/core/agent'
import { scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { remembering } from '../../test-support/remembering.ts'
import { Conversation } from './conversation.ts'
import { type Desk, decidePending } from './decide-pending.ts'

/** A conversation whose agent waits with two calls, and a desk that answers in turn; `undefined` leaves a question. */
async function waiting(...answers: (string | undefined | (() => Promise<string>))[]) {
  const felled: string[] = []
  const fell = createTool({
    id: 'fell',
    inputSchema: z.object({ tree: z.string() }),
    requireApproval: true,
    execute: ({ tree }) => void felled.push(tree),
  })
  const calls = ['oak', 'elm'].map((tree) => ({ name: 'fell', args: { tree } }))
  const script = scriptedModels({ agent: [{ calls }, { text: 'Done.' }] })
  const agent = remembering(new Agent({ id: 'agent', model: script.at('agent'), tools: { fell } }))
  const conversation = new Conversation(agent, () => undefined)
  const { result } = await conversation.say('Go', new AbortController().signal)
  const { runId, pendingCalls = [] } = await result
  const said: string[] = []
  const desk: Desk = {
    say: (text) => void said.push(text),
    ask: async () => {
      const answer = answers.shift()
      return typeof answer === 'function' ? answer() : answer
    },
    follow: (stream): Promise<RunResult> => stream.result,
  }
  const decide = (): Promise<RunResult | undefined> =>
    decidePending({ runId, calls: pendingCalls }, conversation, desk, {})
  return { agent, conversation, runId, pendingCalls, decide, felled, said }
}

test('B7.2 several calls are decided one after the other, each once', async () => {
  const { decide, felled, conversation } = await waiting('y', 'n', 'too old')
  expect(await decide()).toMatchObject({ finishReason: 'stop', text: 'Done.' })
  expect(felled).toEqual(['oak'])
  expect(await conversation.waiting()).toEqual([])
})

test('B7.2 what is left for later waits: how to decide it is said, and it is offered again', async () => {
  const { decide, felled, said, conversation, runId } = await waiting('y', undefined)
  expect(await decide()).toMatchObject({ finishReason: 'suspended' })
  expect(said.at(-1)).toMatch(new RegExp(`^Left for later.*${runId}:\n[^]*retinue approvals approve ${runId}\n`))
  expect(felled).toEqual(['oak'])
  expect(await conversation.waiting()).toMatchObject([{ runId, calls: [{ args: { tree: 'elm' } }] }])
})

test('B7.2 arguments that do not fit are said, and edited again', async () => {
  const { decide, felled, said } = await waiting('e', '{"tree":1}', '{"tree":"ash"}', 'y')
  expect(await decide()).toMatchObject({ finishReason: 'stop' })
  expect(felled).toEqual(['ash', 'elm'])
  expect(said.find((text) => text.startsWith('error[decision-invalid]'))).toMatch(/does not fit "fell"/)
})

test('B7.4 what somebody else has decided meanwhile is said, and the rest is asked', async () => {
  const { decide, felled, said, agent, runId, pendingCalls } = await waiting(async () => {
    const toolCallId = pendingCalls[0]?.toolCallId ?? ''
    await agent.declineToolCallGenerate({ runId, toolCallId })
    return 'y'
  }, 'y')
  expect(await decide()).toMatchObject({ finishReason: 'stop' })
  expect(felled).toEqual(['elm'])
  expect(said.some((text) => text.includes('error[approval-decided]') && text.includes('retinue approvals log'))).toBe(
    true,
  )
})
