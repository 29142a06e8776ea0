import type { Chunk } from './chunk.ts'
import type { EventLog } from './event-log.ts'

/**
 * A run's answer as an object while it grows: each item is a more complete version of the one before it, and the last is the answer that
 * fits its schema. It starts anew with each answer of the model. Only readers pay for it: no chunk carries an unfinished object.
 */
export async function* partialObjects(log: EventLog, runId: string): AsyncGenerator<unknown, undefined> {
  // Loaded with the first reader.
  const { parse } = await import('jsonriver')
  const reader = log.read((chunk) => (chunk.runId === runId ? chunk : undefined))
  try {
    const steps = new Steps(reader)
    let last = ''
    for (let end = steps.begin(); !(await end); end = steps.begin()) {
      try {
        let given = 0
        let object: unknown
        for await (object of parse(steps.json())) {
          // Each item is a copy of the whole: in even steps a long answer would cost its square.
          if (steps.read - given < steps.read * LEAST_GROWTH) continue
          given = steps.read
          last = JSON.stringify(object)
          // The parser goes on to fill the object that it gave.
          yield JSON.parse(last)
        }
        if (given < steps.read && object !== undefined) {
          last = JSON.stringify(object)
          yield JSON.parse(last)
        }
      } catch {
        // A text that is no JSON: the answer that comes after it may be.
      }
      const answer = await steps.end()
      if (answer && JSON.stringify(answer.payload.object) !== last) yield answer.payload.object
    }
    return undefined
  } finally {
    await reader.return?.()
  }
}

/** The share by which the text has to grow before the object is given again. */
const LEAST_GROWTH = 0.05

/** The chunks of a run, step by step. */
class Steps {
  readonly #reader: AsyncIterator<Chunk, undefined>
  #chunk: Chunk | undefined
  /** Characters of the step's JSON so far. */
  read = 0

  constructor(reader: AsyncIterator<Chunk, undefined>) {
    this.#reader = reader
  }

  /** Goes to the first chunk of the next step; true if there is none. */
  async begin(): Promise<boolean> {
    await this.#next()
    return this.#chunk === undefined
  }

  /** The text of the step from the first brace on: models like to put an object between fences. */
  async *json(): AsyncGenerator<string> {
    let begun = false
    this.read = 0
    for (; this.#chunk && !isAnswerOrEnd(this.#chunk); await this.#next()) {
      if (this.#chunk.type !== 'text-delta') continue
      const { text } = this.#chunk.payload
      const from = begun ? 0 : text.search(/[{[]/)
      if (from < 0) continue
      begun = true
      this.read += text.length - from
      yield text.slice(from)
    }
  }

  /** Goes to the end of the step; the answer, if it was one. */
  async end(): Promise<Extract<Chunk, { type: 'object' }> | undefined> {
    let answer: Extract<Chunk, { type: 'object' }> | undefined
    for (; this.#chunk && this.#chunk.type !== 'step-finish'; await this.#next())
      if (this.#chunk.type === 'object') answer = this.#chunk
    return answer
  }

  async #next(): Promise<void> {
    const { value } = await this.#reader.next()
    this.#chunk = value
  }
}

function isAnswerOrEnd({ type }: Chunk): boolean {
  return type === 'object' || type === 'step-finish'
}
