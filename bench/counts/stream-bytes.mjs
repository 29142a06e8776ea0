// The size of the flat stream of runs with 10, 20 and 40 delegations of 500 characters each, as JSON.
import { Agent } from '@retinue/core/agent'
import { promptModel } from '../model.mjs'

const PIECE = 'x'.repeat(25)
const CHUNKS = 20

const byteLength = (value) => Buffer.byteLength(JSON.stringify(value))

async function sizesOf(steps) {
  const helper = new Agent({
    id: 'helper',
    description: 'Helps.',
    instructions: 'Help.',
    model: promptModel({ steps: 0, chunks: CHUNKS, piece: PIECE }),
  })
  const model = promptModel({ steps, chunks: 10 })
  const root = new Agent({ id: 'root', instructions: 'Delegate.', model, agents: { helper } })
  const stream = await root.stream('Do it.', { maxSteps: steps + 1 })
  const sizes = { delegations: steps, events: 0, bytes: 0, nestedBytes: 0, envelope: 0 }
  for await (const event of stream.events) {
    const bytes = byteLength(event)
    sizes.events += 1
    sizes.bytes += bytes
    // What is neither payload nor path: the type, the ids and the punctuation.
    sizes.envelope = Math.max(sizes.envelope, bytes - byteLength(event.payload ?? null) - byteLength(event.path))
  }
  for await (const chunk of stream.fullStream) sizes.nestedBytes += byteLength(chunk)
  return sizes
}

console.log(JSON.stringify([await sizesOf(10), await sizesOf(20), await sizesOf(40)]))
