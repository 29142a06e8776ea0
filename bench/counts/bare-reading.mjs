import { promptModel } from '../model.mjs'

/** A run that only reads all that the models of a delegation of this shape say: what is above it is a framework's own. */
export function bareReading({ depth, chunks }) {
  const levels = Array.from({ length: depth }, () => promptModel({ steps: 1, chunks: 10 }))
  const leaf = promptModel({ steps: 0, chunks })
  return async () => {
    for (const level of levels) await readAll(level, BEFORE)
    await readAll(leaf, BEFORE)
    for (const level of levels) await readAll(level, AFTER)
  }
}

/** Conversations as far as the models look at them: before and after the delegation. */
const BEFORE = [{ role: 'user' }]
const AFTER = [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }]

async function readAll(model, prompt) {
  const { stream } = await model.doStream({ prompt })
  const reader = stream.getReader()
  while (!(await reader.read()).done);
}
