import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { RetinueError } from '../errors/retinue-error.ts'
import type { ChooseModel } from '../loop/run.ts'
import { assertStrict } from './strict-rules.ts'

/** What a scripted model says in one call. */
export interface Turn {
  /** The text; a list is one delta each. */
  text?: string | readonly string[]
  reasoning?: string
  /** Tool calls; `args` as text are sent as they are. */
  calls?: readonly { id?: string; name: string; args: unknown }[]
  /** Default: `tool-calls` where there are calls, else `stop`. */
  finish?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
  /** Tokens reported; `null` reports nothing. Default: 10 in, 5 out. */
  usage?: { input: number; output: number } | null
  /** Parts to send as they are, in place of all the above. */
  parts?: readonly LanguageModelV4StreamPart[]
  /** Waits for this before it answers. */
  after?: PromiseLike<unknown>
}

/** A turn, an error to throw, or a function of what the model was asked. */
export type ScriptedTurn = Turn | Error | ((call: ScriptedCall) => Turn | Error | Promise<Turn | Error>)

/** A call that was made of a scripted model. */
export interface ScriptedCall {
  readonly prompt: LanguageModelV4CallOptions['prompt']
  readonly tools: readonly string[]
  readonly options: LanguageModelV4CallOptions
  /** The prompt as text, a message a line. */
  readonly text: string
}

/** Turns by agent path: `{ supervisor: […], 'supervisor/researcher': […] }`. */
export type Script = Readonly<Record<string, readonly ScriptedTurn[]>>

/**
 * Models that play a script, addressed by agent path. A call that no turn was written for fails, and `assertDone()` fails for turns
 * that were never played. They are strict: a prompt or a tool that a strict provider would refuse fails the call.
 */
export interface ScriptedModels {
  /** Hand it to a run: `agent.generate(input, { resolveModel: script.resolveModel })`. */
  readonly resolveModel: ChooseModel
  /** The model of one agent. */
  at(path: string): LanguageModelV4
  /** The calls that were made of an agent's model. */
  calls(path: string): readonly ScriptedCall[]
  /** Throws if turns are left, or a call was made that no turn was written for. */
  assertDone(): void
}

export function scriptedModels(script: Script): ScriptedModels {
  const made = new Map<string, ScriptedModel>()
  const at = (path: string): ScriptedModel => {
    const known = made.get(path) ?? new ScriptedModel(path, script[path] ?? [])
    made.set(path, known)
    return known
  }
  return {
    at,
    resolveModel: ({ path }) => at(path.join('/')),
    calls: (path) => at(path).calls,
    assertDone: () => {
      for (const path of Object.keys(script)) at(path)
      const problems = [...made.values()].flatMap((model) => model.problems())
      if (problems.length > 0) throw mismatch(problems.join('\n'))
    },
  }
}

/** One model that plays its turns in order, wherever it stands. */
export function scriptedModel(
  turns: readonly ScriptedTurn[],
  name = 'scripted',
): LanguageModelV4 & { readonly calls: readonly ScriptedCall[]; assertDone(): void } {
  return new ScriptedModel(name, turns)
}

class ScriptedModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'scripted'
  readonly modelId: string
  /** Every URL: what a model fetches itself is not what a script is about. */
  readonly supportedUrls = { '*/*': [/.*/] }
  readonly calls: ScriptedCall[] = []
  readonly #turns: readonly ScriptedTurn[]
  readonly #unexpected: string[] = []

  constructor(path: string, turns: readonly ScriptedTurn[]) {
    this.modelId = path
    this.#turns = turns
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<{ stream: ReadableStream<LanguageModelV4StreamPart> }> {
    const turn = await this.#play(options)
    const parts = turn.parts ?? partsOf(turn, `${this.modelId.replace(/[^A-Za-z0-9_-]/g, '_')}_${this.calls.length}`)
    let next = 0
    return {
      stream: new ReadableStream({
        pull(controller) {
          const part = parts[next++]
          if (part) controller.enqueue(part)
          else controller.close()
        },
      }),
    }
  }

  doGenerate(): PromiseLike<never> {
    return Promise.reject(mismatch('Retinue never calls doGenerate.'))
  }

  assertDone(): void {
    const problems = this.problems()
    if (problems.length > 0) throw mismatch(problems.join('\n'))
  }

  problems(): string[] {
    const left = this.#turns.length - this.calls.length
    return left > 0
      ? [...this.#unexpected, `"${this.modelId}": ${left} of ${this.#turns.length} turns were not played.`]
      : this.#unexpected
  }

  async #play(options: LanguageModelV4CallOptions): Promise<Turn> {
    assertStrict(options)
    const { prompt, tools = [] } = options
    const call: ScriptedCall = { prompt, tools: tools.map((tool) => tool.name), options, text: promptText(prompt) }
    const scripted = this.#turns[this.calls.length]
    this.calls.push(call)
    if (scripted === undefined) {
      const problem = `"${this.modelId}" was called ${this.calls.length} times, and ${this.#turns.length} turns are written for it. It was asked:\n${call.text}`
      this.#unexpected.push(problem)
      throw mismatch(problem)
    }
    const turn = typeof scripted === 'function' ? await scripted(call) : scripted
    if (turn instanceof Error) throw turn
    if (turn.after) await turn.after
    return turn
  }
}

function mismatch(message: string): RetinueError {
  return new RetinueError({
    code: 'script-mismatch',
    message,
    hint: 'Write one turn for each call that the model of this path gets.',
  })
}

function partsOf(turn: Turn, id: string): LanguageModelV4StreamPart[] {
  const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }]
  if (turn.reasoning !== undefined) {
    parts.push(
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: turn.reasoning },
      { type: 'reasoning-end', id: 'r' },
    )
  }
  if (turn.text !== undefined) {
    parts.push({ type: 'text-start', id: 't' })
    for (const delta of typeof turn.text === 'string' ? [turn.text] : turn.text)
      parts.push({ type: 'text-delta', id: 't', delta })
    parts.push({ type: 'text-end', id: 't' })
  }
  for (const [index, { id: given, name, args }] of (turn.calls ?? []).entries()) {
    const input = typeof args === 'string' ? args : JSON.stringify(args)
    parts.push({ type: 'tool-call', toolCallId: given ?? `${id}_${index}`, toolName: name, input })
  }
  const unified = turn.finish ?? (turn.calls?.length ? 'tool-calls' : 'stop')
  parts.push({ type: 'finish', finishReason: { unified, raw: unified }, usage: usageOf(turn) })
  return parts
}

function usageOf({ usage }: Turn): Extract<LanguageModelV4StreamPart, { type: 'finish' }>['usage'] {
  const input = usage === null ? undefined : (usage?.input ?? 10)
  const output = usage === null ? undefined : (usage?.output ?? 5)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
}

/** A prompt as text: the role, then the texts and values of its parts. */
export function promptText(prompt: LanguageModelV4CallOptions['prompt']): string {
  return prompt
    .map((message) => {
      if (typeof message.content === 'string') return `${message.role}: ${message.content}`
      return `${message.role}: ${message.content.map(partText).join(' | ')}`
    })
    .join('\n')
}

function partText(
  part: Exclude<LanguageModelV4CallOptions['prompt'][number], { role: 'system' }>['content'][number],
): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text
    case 'tool-call':
      return `${part.toolName}(${JSON.stringify(part.input)})`
    case 'tool-result':
      return 'value' in part.output
        ? typeof part.output.value === 'string'
          ? part.output.value
          : JSON.stringify(part.output.value)
        : ''
    default:
      return `(${part.type})`
  }
}
