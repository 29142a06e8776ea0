// The other side of the bench: agents that delegate, as somebody would write them by hand who needs nothing but what is here. Ids,
// an envelope for each event, a check of the arguments, an abort signal and a queue are here since no honest framework can leave
// them out; hooks, filters, retries, usage, results, statuses and everything for broken providers are not.

/** Events on their way to one reader. A promise is made only when the reader has to wait. */
class EventQueue {
  #events = []
  #closed = false
  #wake

  push(event) {
    this.#events.push(event)
    this.#wakeReader()
  }

  close() {
    this.#closed = true
    this.#wakeReader()
  }

  #wakeReader() {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      const events = this.#events
      this.#events = []
      for (const event of events) yield event
      if (this.#events.length > 0) continue
      if (this.#closed) return
      await new Promise((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

let runs = 0

export class FloorAgent {
  #id
  #model
  #agents
  #system
  #tools

  constructor({ id, instructions, model, agents = {} }) {
    this.#id = id
    this.#model = model
    this.#agents = agents
    this.#system = { role: 'system', content: instructions }
    this.#tools = Object.keys(agents).map((name) => ({ type: 'function', name, inputSchema: PROMPT_SCHEMA }))
  }

  async generate(prompt) {
    const { signal } = new AbortController()
    return this.#run(prompt, { signal }, [this.#id])
  }

  stream(prompt) {
    const { signal } = new AbortController()
    const queue = new EventQueue()
    const result = this.#run(prompt, { signal, queue }, [this.#id]).finally(() => queue.close())
    return { events: queue, result }
  }

  async #run(prompt, context, path) {
    const { signal, queue } = context
    const runId = `run-${++runs}`
    const emit = (type, payload) => queue?.push({ type, runId, path, payload })
    const messages = [this.#system, { role: 'user', content: [{ type: 'text', text: prompt }] }]
    for (;;) {
      signal.throwIfAborted()
      emit('step-start', {})
      const { text, calls } = await this.#callModel(messages, signal, emit)
      if (calls.length === 0) {
        emit('finish', {})
        return text
      }
      messages.push({ role: 'assistant', content: calls.map(asPart) })
      const results = await Promise.all(calls.map((call) => this.#delegate(call, context, path)))
      for (const result of results) emit('tool-result', result)
      messages.push({ role: 'tool', content: results })
    }
  }

  async #callModel(prompt, abortSignal, emit) {
    const { stream } = await this.#model.doStream({ prompt, abortSignal, tools: this.#tools })
    const reader = stream.getReader()
    const calls = []
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { text, calls }
      abortSignal.throwIfAborted()
      if (value.type === 'text-delta') {
        text += value.delta
        emit('text-delta', { id: value.id, text: value.delta })
      } else if (value.type === 'tool-call') {
        const { toolCallId, toolName } = value
        const call = { toolCallId, toolName, args: JSON.parse(value.input) }
        calls.push(call)
        emit('tool-call', call)
      } else if (value.type === 'finish') emit('step-finish', { usage: value.usage })
    }
  }

  async #delegate({ toolCallId, toolName, args }, context, path) {
    let output
    try {
      if (typeof args?.prompt !== 'string') throw new TypeError('prompt: it must be a text')
      const value = await this.#agents[toolName].#run(args.prompt, context, [...path, toolName])
      output = { type: 'text', value }
    } catch (error) {
      output = { type: 'error-text', value: String(error) }
    }
    return { type: 'tool-result', toolCallId, toolName, output }
  }
}

const PROMPT_SCHEMA = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] }

function asPart({ toolCallId, toolName, args }) {
  return { type: 'tool-call', toolCallId, toolName, input: args }
}
