// Models that answer at once, in the form of an AI SDK language model (specification v4).

/** What each text delta of a model says. */
export const PIECE = 'one more word '

const USAGE = {
  inputTokens: { total: 20, noCache: 20, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
}

let calls = 0

/**
 * A model that delegates `steps` times, with `fan` calls at once, and then answers with `chunks` deltas of `piece`. It is told
 * where it stands by the conversation alone. `gate`, if given, is awaited before it answers.
 */
export function promptModel({ steps, fan = 1, chunks, piece = PIECE, gate }) {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'prompt',
    supportedUrls: {},
    async doStream({ prompt }) {
      if (gate) await gate()
      const parts = stepsTaken(prompt) < steps ? callParts(fan) : textParts(chunks, piece)
      return { stream: new ReadableStream({ pull: (controller) => pullPart(controller, parts) }) }
    },
  }
}

/**
 * Each step leaves a message with calls and one with their results, after the instructions (if any) and the request. A framework may add a
 * note of its own at the end: after 800 delegations of 1,000 that may be, ours says so.
 */
function stepsTaken(prompt) {
  const head = prompt[0].role === 'system' ? 2 : 1
  let end = prompt.length
  while (end > head && prompt[end - 1].role === 'user') end--
  return prompt[end - 1].role === 'tool' ? (end - head) / 2 : 0
}

function pullPart(controller, parts) {
  const part = parts.next()
  if (part === undefined) controller.close()
  else controller.enqueue(part)
}

/** Parts are made when they are asked for, as a provider's package makes them of what arrives. */
function textParts(chunks, piece) {
  let at = -1
  return {
    next() {
      at += 1
      if (at === 0) return { type: 'stream-start', warnings: [] }
      if (at === 1) return { type: 'text-start', id: '0' }
      if (at < chunks + 2) return { type: 'text-delta', id: '0', delta: piece }
      if (at === chunks + 2) return { type: 'text-end', id: '0' }
      return at === chunks + 3 ? finish('stop') : undefined
    },
  }
}

function callParts(fan) {
  let at = -1
  return {
    next() {
      at += 1
      if (at === 0) return { type: 'stream-start', warnings: [] }
      if (at <= fan) return { type: 'tool-call', toolCallId: `call-${++calls}`, toolName: 'helper', input: ARGUMENTS }
      return at === fan + 1 ? finish('tool-calls') : undefined
    },
  }
}

const ARGUMENTS = JSON.stringify({ prompt: 'Do your part of the work.' })

function finish(reason) {
  return { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: USAGE }
}
