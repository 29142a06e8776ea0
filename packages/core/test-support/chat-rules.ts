import { type Json, list, record, records, text } from './wire-json.ts'
import { Problems, type WireRules } from './wire-rules.ts'

/** What the chat completions API, and what speaks it, takes. */
export function chatRules(): WireRules {
  return { problems: (body) => chatProblems(body), answered: () => {} }
}

function chatProblems(body: Json): string[] {
  const problems = new Problems()
  const messages = records(body['messages'])
  problems.unless(text(body['model']) !== '', 'model', 'there is none')
  problems.unless(body['stream'] === true, 'stream', 'it is not asked for')
  const lead = messages.findIndex((message) => !isSystem(message))
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Json
    const where = `messages[${index}] (${text(message['role'])})`
    if (isSystem(message)) problems.unless(index < lead, where, 'a system message after the leading ones')
    if (index === lead) problems.unless(message['role'] === 'user', where, 'the conversation begins with it')
    if (message['role'] === 'assistant') assistantProblems(problems, where, message, messages.slice(index + 1))
    else if (message['role'] === 'tool') toolProblems(problems, where, message, messages.slice(0, index))
    else problems.content(where, message['content'])
  }
  const last = messages.at(-1)?.['role']
  problems.unless(last === 'user' || last === 'tool', 'messages', 'the last one is neither the user’s nor a tool’s')
  const tools = records(body['tools']).map((tool) => record(tool['function']))
  problems.tools(tools.map(({ name, parameters }) => ({ name, schema: parameters })))
  problems.unless(body['tools'] === undefined || tools.length > 0, 'tools', 'an empty list')
  problems.unless(tools.length > 0 || body['tool_choice'] === undefined, 'tool_choice', 'there are no tools')
  return problems.all
}

const isSystem = (message: Json): boolean => message['role'] === 'system' || message['role'] === 'developer'

function callIds(message: Json | undefined): string[] {
  return records(message?.['tool_calls']).map((call) => text(call['id']))
}

function assistantProblems(problems: Problems, where: string, message: Json, after: readonly Json[]): void {
  const calls = records(message['tool_calls'])
  const { content } = message
  if (calls.length === 0) problems.content(where, content)
  else if (content !== null && content !== undefined && content !== '') problems.content(where, content)
  problems.unless(message['tool_calls'] === undefined || list(message['tool_calls']).length > 0, where, 'no tool_calls')
  for (const call of calls) {
    const called = record(call['function'])
    problems.call(where, call['id'], called['name'])
    problems.argumentsText(where, called['arguments'])
  }
  const end = after.findIndex(({ role }) => role !== 'tool')
  const results = (end < 0 ? after : after.slice(0, end)).map((result) => text(result['tool_call_id']))
  problems.answers(where, callIds(message), results)
}

/** A tool message stands after the calls that it answers, with nothing but other tool messages between. */
function toolProblems(problems: Problems, where: string, message: Json, before: readonly Json[]): void {
  problems.content(where, message['content'])
  const asking = before.findLast(({ role }) => role !== 'tool')
  const known = asking?.['role'] === 'assistant' && callIds(asking).includes(text(message['tool_call_id']))
  problems.unless(known, where, `the result "${text(message['tool_call_id'])}" has no call directly before`)
}
