import { Agent } from '@retinue/core/agent'
import { scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { RunView } from './run-view.ts'

async function linesOf(agent: Agent): Promise<string[]> {
  const lines: string[] = []
  let now = 0
  const view = new RunView({ print: (line) => lines.push(line), now: () => (now += 5), color: false })
  const stream = await agent.stream('Go')
  for await (const chunk of stream.events) view.show(chunk)
  return lines
}

test('shows delegations as a tree, each with its agent, state, time and tokens', async () => {
  const script = scriptedModels({
    lead: [{ calls: [{ name: 'scout', args: { prompt: 'Look\naround \u001b[31mnow' } }] }, { text: 'Done' }],
    'lead/scout': [
      { calls: [{ name: 'peek', args: { at: 'north' } }] },
      { text: 'Nothing', usage: { input: 7, output: 3 } },
    ],
  })
  const peek = createTool({ id: 'peek', execute: () => ({ seen: 0 }) })
  const scout = new Agent({ id: 's', description: 'Scouts.', model: script.at('lead/scout'), tools: { peek } })
  const lines = await linesOf(new Agent({ id: 'lead', model: script.at('lead'), agents: { scout } }))
  expect(lines).toEqual([
    '● lead',
    '├─ model scripted/lead',
    '├─ ▶ scout  Look around [31mnow',
    '│  ├─ model scripted/lead/scout',
    '│  ├─ ✔ peek  {"at":"north"}  5 ms',
    '├─ ✔ scout  completed  15 ms  25 tokens',
    '✔ lead  stop  30 ms  55 tokens',
  ])
})

test('shows what failed: a tool, a delegation, the run', async () => {
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
  const lines = await linesOf(new Agent({ id: 'lead', model: script.at('lead'), agents: { scout } }))
  expect(lines).toContainEqual(expect.stringMatching(/^├─ ✖ scout {2}failed/))
  expect(lines).toContainEqual(expect.stringMatching(/^├─ ✖ nope {2}There is no tool "nope"/))
  expect(lines.at(-2)).toMatch(/^├─ ✖ model-call-failed/)
  expect(lines.at(-1)).toMatch(/^✖ lead {2}error/)
})

test('B7.2 shows what waits and what a person decided; a delegation that goes on does not begin anew', async () => {
  const script = scriptedModels({
    lead: [{ calls: [{ name: 'scout', args: { prompt: 'Fell' } }] }, { text: 'Done' }],
    'lead/scout': [{ calls: ['oak', 'elm'].map((tree) => ({ name: 'fell', args: { tree } })) }, { text: 'Felled' }],
  })
  const fell = createTool({ id: 'fell', requireApproval: true, execute: () => 'felled' })
  const scout = new Agent({ id: 's', description: 'Scouts.', model: script.at('lead/scout'), tools: { fell } })
  const lead = new Agent({ id: 'lead', model: script.at('lead'), agents: { scout } })
  const lines: string[] = []
  const view = new RunView({ print: (line) => lines.push(line), now: () => 0, color: false })
  let stream = await lead.stream('Go')
  for await (const chunk of stream.events) view.show(chunk)
  const [oak, elm] = (await stream.pendingCalls).map(({ toolCallId }) => toolCallId) as [string, string]
  const { runId } = stream
  stream = await lead.approveToolCall({ runId, toolCallId: oak })
  for await (const chunk of stream.events) view.show(chunk)
  stream = await lead.declineToolCall({ runId, toolCallId: elm, reason: 'too old' })
  for await (const chunk of stream.events) view.show(chunk)
  const shown = lines.filter((line) => !line.includes('model '))
  expect(shown.slice(0, 5)).toEqual([
    '● lead',
    '├─ ▶ scout  Fell',
    expect.stringMatching(/^│ {2}├─ ◇ fell {2}waits for an approval {2}\{"tree":"(oak|elm)"\}$/),
    expect.stringMatching(/^│ {2}├─ ◇ fell {2}waits for an approval {2}\{"tree":"(oak|elm)"\}$/),
    expect.stringMatching(/^◇ lead {2}suspended /),
  ])
  expect(shown.filter((line) => line.includes('▶'))).toEqual([
    '├─ ▶ scout  Fell',
    ...Array(2).fill('├─ ▶ scout  goes on'),
  ])
  expect(shown).toContain('│  ├─ ✔ fell  {"tree":"oak"}')
  expect(shown).toContain('│  ├─ ✖ fell  The call of "fell" was declined: too old. It was not run.')
})
