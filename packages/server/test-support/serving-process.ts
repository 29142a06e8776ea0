// Serves an application with durable runs over a file, and prints its port. `held`: the second step of `sup`, and the first of `scout`,
// which `lead` sends into the background, never end.
import { writeSync } from 'node:fs'
import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { LibSQLStore } from '@retinue/libsql'
import { z } from 'zod'
import { serve } from '../src/node/serve.ts'

const [url, mode] = process.argv.slice(2) as [string, 'held' | 'free']
const add = createTool({
  id: 'add',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
/** What it has said of its last answer when it stops. */
const begun = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Lost' },
] as const
function send(controller: ReadableStreamDefaultController): void {
  for (const part of begun) controller.enqueue(part)
}

const model = scriptedModel(
  mode === 'held'
    ? [{ text: 'First.', calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 2 } }] }, { parts: [] }]
    : [{ text: ['Sec', 'ond.'] }],
)
if (mode === 'held') {
  const play = model.doStream.bind(model)
  let calls = 0
  model.doStream = async (options) => {
    calls += 1
    if (calls === 1) return play(options)
    return { stream: new ReadableStream({ start: (controller) => send(controller) }) }
  }
}
const sup = new Agent({ id: 'sup', model, tools: { add } })
const isHeld = mode === 'held'
const scouting = scriptedModel(isHeld ? [{ text: 'Never.', after: new Promise(() => {}) }] : [{ text: 'ZEBRA' }])
const call = { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] }
const lead = new Agent({
  id: 'lead',
  model: scriptedModel(isHeld ? [call, { text: 'It looks.' }] : [{ text: 'Found.' }]),
  agents: { scout: new Agent({ id: 'scout', description: 'Scouts.', model: scouting }) },
  backgroundTasks: { tools: { scout: true } },
})
const storage = new LibSQLStore({ id: 's', url })
const app = new Retinue({
  agents: { sup, lead },
  storage,
  durable: true,
  logger: false,
  backgroundTasks: { enabled: true },
})
const { port } = await serve({ app: app as unknown as Retinue, port: 0 })
writeSync(1, `${port}\n`)
