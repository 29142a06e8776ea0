import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Throws `strict-model-refused` for a call that a strict provider refuses, with everything that is wrong. */
export function assertStrict({ prompt, tools = [] }: Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'>): void {
  const problems = [...promptProblems(prompt), ...toolProblems(tools)]
  if (problems.length === 0) return
  throw new RetinueError({
    code: 'strict-model-refused',
    message: `A strict provider refuses this call: ${problems.join(' ')}`,
    hint: 'This is a fault of what built the prompt, not of the model.',
    data: { problems },
  })
}

/** What a strict provider says against a prompt. */
export function promptProblems(prompt: LanguageModelV4CallOptions['prompt']): string[] {
  const problems: string[] = []
  const say = (index: number, what: string): void => {
    problems.push(`Message ${index} (${prompt[index]?.role}): ${what}.`)
  }
  const ids = new Set<string>()
  const lead = prompt.findIndex((message) => message.role !== 'system')
  for (let index = 0; index < prompt.length; index++) {
    const message = prompt[index] as (typeof prompt)[number]
    if (message.role === 'system') {
      if (lead >= 0 && index > lead) say(index, 'a system message stands after the leading ones')
      if (message.content.trim() === '') say(index, 'it is empty')
      continue
    }
    if (index === lead && message.role !== 'user') say(index, 'the conversation does not begin with the user')
    if (message.content.length === 0) say(index, 'it is empty')
    for (const part of message.content) {
      if (part.type === 'text' && part.text.trim() === '') say(index, 'it has an empty text')
      if (part.type !== 'tool-call') continue
      if (ids.has(part.toolCallId)) say(index, `the call id "${part.toolCallId}" occurs twice`)
      ids.add(part.toolCallId)
      if (!NAME.test(part.toolName)) say(index, `"${part.toolName}" is no tool name`)
      if (!isObject(part.input)) say(index, `the input of "${part.toolCallId}" is no object`)
    }
    for (const problem of pairProblems(message, prompt[index - 1], prompt[index + 1])) say(index, problem)
  }
  const last = prompt.at(-1)
  if (!last || (last.role !== 'user' && last.role !== 'tool'))
    problems.push('The last message is neither the user’s nor a tool’s.')
  return problems
}

type PromptMessage = LanguageModelV4CallOptions['prompt'][number]

/** Every call answered directly after it, every result directly after its call. */
function pairProblems(
  message: PromptMessage,
  before: PromptMessage | undefined,
  after: PromptMessage | undefined,
): string[] {
  if (message.role === 'assistant') {
    const answered = new Set(resultIds(after))
    return callIds(message)
      .filter((id) => !answered.has(id))
      .map((id) => `the call "${id}" is not answered directly after`)
  }
  if (message.role !== 'tool') return []
  const calls = new Set(callIds(before))
  const results = resultIds(message)
  const orphans = results.filter((id) => !calls.has(id)).map((id) => `the result "${id}" has no call directly before`)
  const doubled = results
    .filter((id, index) => results.indexOf(id) !== index)
    .map((id) => `the call "${id}" is answered twice`)
  return [...orphans, ...doubled]
}

function callIds(message: PromptMessage | undefined): string[] {
  if (message?.role !== 'assistant') return []
  return message.content.flatMap((part) =>
    part.type === 'tool-call' && !part.providerExecuted ? [part.toolCallId] : [],
  )
}

function resultIds(message: PromptMessage | undefined): string[] {
  return message?.role === 'tool'
    ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
    : []
}

function toolProblems(tools: NonNullable<LanguageModelV4CallOptions['tools']>): string[] {
  const problems: string[] = []
  const names = new Set<string>()
  for (const tool of tools) {
    if (!NAME.test(tool.name)) problems.push(`"${tool.name}" is no tool name.`)
    if (names.has(tool.name)) problems.push(`Two tools are called "${tool.name}".`)
    names.add(tool.name)
    if (tool.type === 'function' && tool.inputSchema.type !== 'object')
      problems.push(`The schema of "${tool.name}" is no object at its root.`)
  }
  return problems
}
