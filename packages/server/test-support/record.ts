// Records streams for the tests of the reducer: `node --conditions=@retinue/source packages/server/test-support/record.ts`, by hand,
// when what a server tells has changed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { type Script, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
import { createHandler } from '../src/create-handler.ts'
import { chunksOf } from './read-stream.ts'

const pay = createTool({
  id: 'pay',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: ({ euros }, { writer }) => {
    writer.write(`paying ${euros}`)
    writer.custom({ type: 'data-progress', id: 'p', data: 1 })
    return { paid: euros }
  },
})
const look = createTool({
  id: 'look',
  execute: (_input, { writer }) => {
    writer.custom({ type: 'data-progress', id: 'l', data: 0.5 })
    writer.custom({ type: 'data-progress', id: 'l', data: 1 })
    return 'found'
  },
})
const fail = createTool({
  id: 'fail',
  execute: () => {
    throw new Error('no')
  },
})

/** The events of a run of `sup`, its decisions taken in turn. */
async function recorded(
  script: Script,
  decisions: readonly ['approve' | 'decline', object][],
  inBackground = false,
): Promise<unknown[]> {
  const models = scriptedModels(script)
  const helper = new Agent({
    id: 'helper',
    description: 'Helps.',
    model: models.at('sup/clerk/helper'),
    tools: { look },
  })
  const clerk = new Agent({
    id: 'clerk',
    description: 'Pays.',
    model: models.at('sup/clerk'),
    tools: { pay, look },
    agents: { helper },
  })
  const own = { id: 'sup', model: models.at('sup'), tools: { look, fail, pay } }
  const lame = new Agent({ id: 'lame', description: 'Fails.', model: models.at('sup/helper'), maxRetries: 0 })
  const sup = inBackground
    ? new Agent({ ...own, agents: { clerk, helper: lame }, backgroundTasks: { tools: { clerk: true, helper: true } } })
    : new Agent({ ...own, agents: { clerk } })
  const backgroundTasks = { enabled: inBackground }
  const app = new Retinue({ agents: { sup }, storage: new InMemoryStorage(), logger: false, backgroundTasks })
  const server = createHandler({ app: app as unknown as Retinue })
  const send = (path: string, body: object | undefined) =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    )
  const first = await chunksOf(await send('/api/agents/sup/stream', { input: 'Go.' }))
  const runId = String(first[0]?.runId)
  for (const [verb, body] of decisions) await chunksOf(await send(`/api/runs/${runId}/${verb}`, body))
  models.assertDone()
  return chunksOf(await send(`/api/runs/${runId}/events`, undefined))
}

const recordings = {
  'nested-approval': await recorded(
    {
      sup: [
        { reasoning: 'Hm.', text: 'I ask.', calls: [{ id: 'd1', name: 'clerk', args: { prompt: 'Pay 5.' } }] },
        { text: ['It', ' is paid.'] },
      ],
      'sup/clerk': [
        {
          calls: [
            { id: 'h1', name: 'helper', args: { prompt: 'Look.' } },
            { id: 'p1', name: 'pay', args: { euros: 5 } },
          ],
        },
        { text: 'Paid 5.' },
      ],
      'sup/clerk/helper': [{ calls: [{ id: 'l1', name: 'look', args: {} }] }, { text: 'Nothing there.' }],
    },
    [['approve', { toolCallId: 'p1' }]],
  ),
  'parallel-and-denied': await recorded(
    {
      sup: [
        {
          calls: [
            { id: 'd1', name: 'clerk', args: { prompt: 'One.' } },
            { id: 'd2', name: 'clerk', args: { prompt: 'Two.' } },
            { id: 'f1', name: 'fail', args: {} },
            { id: 'p9', name: 'pay', args: { euros: 9 } },
          ],
        },
        { text: 'Done what could be done.' },
      ],
      'sup/clerk': [{ text: 'One is done.' }, { text: 'Two is done.' }],
    },
    [['decline', { toolCallId: 'p9', reason: 'too much' }]],
  ),
  background: await recorded(
    {
      sup: [
        {
          calls: [
            { id: 'b1', name: 'clerk', args: { prompt: 'Pay 5.' } },
            { id: 'b2', name: 'helper', args: { prompt: 'Look.' } },
          ],
        },
        { text: 'They look.' },
        ({ text }) => (text.includes('Paid 5.') ? { text: 'It is paid.' } : { text: 'They look.' }),
        { text: 'It is paid.' },
      ],
      'sup/clerk': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }, { text: 'Paid 5.' }],
      'sup/helper': [new Error('it is broken')],
    },
    [['approve', { toolCallId: 'p1' }]],
    true,
  ),
  failed: await recorded({ sup: [new Error('it is broken')] }, []),
}
for (const [name, chunks] of Object.entries(recordings))
  writeFileSync(join(import.meta.dirname, 'recordings', `${name}.json`), `${JSON.stringify(chunks, null, 1)}\n`)
