import type { LanguageModel } from '../src/model/language-model.ts'
import { promptText } from '../src/testing/scripted-model.ts'

const NO_USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

/** What a model is asked: the messages as text, the number of its own answers so far in this run, and what it was asked to do. */
export interface Asked {
  readonly said: string
  readonly answers: number
  readonly task: string
}

/** What it says: a text, or calls of tools. */
export type Said = string | readonly { readonly name: string; readonly args: object }[]

/** A model that knows no process: what it says is a function of what it is asked. */
export function toldModel(say: (asked: Asked) => Said | Promise<Said>): LanguageModel {
  type Prompt = { readonly prompt: Parameters<typeof promptText>[0] }
  const doStream = async ({ prompt }: Prompt) => {
    const begun = prompt.findLastIndex((message) => message.role === 'user' && TASK.test(promptText([message])))
    const own = prompt.slice(begun)
    const said = promptText(own)
    const answers = own.filter(({ role }) => role === 'assistant').length
    const [, task = ''] = TASK.exec(said) ?? []
    const answer = await say({ said, answers, task })
    const parts = typeof answer === 'string' ? textParts(answer) : answer.map(callPart)
    const reason = typeof answer === 'string' ? 'stop' : 'tool-calls'
    const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: NO_USAGE }
    return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts, finish]) }
  }
  return {
    specificationVersion: 'v4',
    provider: 'told',
    modelId: 'm',
    supportedUrls: {},
    doStream,
  } as unknown as LanguageModel
}

const TASK = /^user: do ([\w.-]+)/

function callPart({ name, args }: { name: string; args: object }, n: number): object {
  return { type: 'tool-call', toolCallId: `call${n}`, toolName: name, input: JSON.stringify(args) }
}

function textParts(text: string): object[] {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
  ]
}
