// The two sides of the bench, with one interface: the same agents over the same models.
import { Agent } from '@retinue/core/agent'
import { FloorAgent } from './floor.mjs'
import { PIECE, promptModel } from './model.mjs'

/** Deltas of an answer where a shape does not say otherwise. */
const CHUNKS = 10

/**
 * Agents in a shape: a root that delegates `steps` times with `fan` calls at once, down `depth` levels; the last answers with `chunks`
 * deltas. `generate()` gives the root's text; `stream(onText)` calls back for each text that arrives, of whichever agent, and gives
 * the number of characters.
 */
export function subject(side, { depth = 1, fan = 1, steps = 1, chunks = CHUNKS, gate }) {
  const make = side === 'ours' ? ourAgent : floorAgent
  let agent = make('leaf', promptModel({ steps: 0, chunks, gate }))
  for (let level = depth - 1; level >= 0; level--) {
    const turns = level === 0 ? { steps, fan } : { steps: 1 }
    agent = make(`level-${level}`, promptModel({ ...turns, chunks: CHUNKS }), agent)
  }
  const options = { maxSteps: steps + 1 }
  return side === 'ours' ? ours(agent, options) : floor(agent)
}

/** The characters that a reader of a stream must have got when it ends, where the root delegates once. */
export function expectedCharacters({ depth = 1, chunks = CHUNKS }) {
  return (depth * CHUNKS + chunks) * PIECE.length
}

const REQUEST = 'Do it.'

function ourAgent(id, model, helper) {
  const agents = helper ? { agents: { helper } } : {}
  return new Agent({ id, description: `What ${id} does.`, instructions: `You are ${id}.`, model, ...agents })
}

function floorAgent(id, model, helper) {
  return new FloorAgent({ id, instructions: `You are ${id}.`, model, ...(helper ? { agents: { helper } } : {}) })
}

function ours(agent, options) {
  return {
    generate: async () => (await agent.generate(REQUEST, options)).text,
    async stream(onText) {
      const { fullStream } = await agent.stream(REQUEST, options)
      let characters = 0
      for await (let chunk of fullStream) {
        while (chunk.type === 'tool-output') chunk = chunk.payload.output
        if (chunk.type !== 'text-delta') continue
        onText()
        characters += chunk.payload.text.length
      }
      return characters
    },
  }
}

function floor(agent) {
  return {
    generate: () => agent.generate(REQUEST),
    async stream(onText) {
      const { events, result } = agent.stream(REQUEST)
      let characters = 0
      for await (const { type, payload } of events) {
        if (type !== 'text-delta') continue
        onText()
        characters += payload.text.length
      }
      await result
      return characters
    },
  }
}
