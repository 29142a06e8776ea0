import { isRecord, type Json, list, text } from './wire-json.ts'

/** What a strict provider says against the requests of one conversation after another. */
export interface WireRules {
  /** What is wrong with a request's body; empty if nothing is. */
  problems(body: Json): string[]
  /** Takes down what was answered, where later requests may refer to it. */
  answered(response: string): void
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Collects what is wrong, each with the place where it is. */
export class Problems {
  readonly all: string[] = []
  readonly #ids = new Set<string>()

  say(where: string, what: string): void {
    this.all.push(`${where}: ${what}.`)
  }

  unless(holds: boolean, where: string, what: string): void {
    if (!holds) this.say(where, what)
  }

  /** A call's id occurs once, and its name is legal. */
  call(where: string, id: unknown, name: unknown): void {
    this.unless(text(id) !== '', where, 'a call has no id')
    this.unless(!this.#ids.has(text(id)), where, `the call id "${text(id)}" occurs twice`)
    this.#ids.add(text(id))
    this.unless(NAME.test(text(name)), where, `"${text(name)}" is no tool name`)
  }

  /** Arguments as text are one JSON object. */
  argumentsText(where: string, value: unknown): void {
    try {
      this.unless(isRecord(JSON.parse(text(value))), where, 'arguments that are no object')
    } catch {
      this.say(where, `arguments that are no JSON: ${JSON.stringify(value)}`)
    }
  }

  /** Text, or a list of parts, that says something. */
  content(where: string, value: unknown): void {
    const parts = typeof value === 'string' ? [value] : list(value)
    this.unless(parts.length > 0, where, 'no content')
    for (const part of parts) {
      const said = typeof part === 'string' ? part : isRecord(part) && 'text' in part ? part['text'] : 'a file'
      this.unless(text(said).trim() !== '', where, 'an empty text')
    }
  }

  /** The tools have legal names, each one once, and take objects. */
  tools(tools: readonly { name: unknown; schema: unknown }[]): void {
    const names = new Set<string>()
    for (const { name, schema } of tools) {
      this.unless(NAME.test(text(name)), 'tools', `"${text(name)}" is no tool name`)
      this.unless(!names.has(text(name)), 'tools', `"${text(name)}" occurs twice`)
      names.add(text(name))
      this.unless(isRecord(schema) && schema['type'] === 'object', 'tools', `"${text(name)}" takes no object`)
    }
  }

  /** Two lists of ids are the same set, without repeats. */
  answers(where: string, asked: readonly string[], given: readonly string[]): void {
    for (const id of asked) this.unless(given.includes(id), where, `the call "${id}" is not answered directly after`)
    for (const id of given) this.unless(asked.includes(id), where, `the result "${id}" has no call directly before`)
    this.unless(new Set(given).size === given.length, where, 'a call is answered twice')
  }
}
