import { isRecord, type Json, record, records, text } from './wire-json.ts'
import { Problems, type WireRules } from './wire-rules.ts'

/** What Anthropic's messages API takes. */
export function messagesRules(): WireRules {
  return { problems: (body) => messagesProblems(body), answered: () => {} }
}

function messagesProblems(body: Json): string[] {
  const problems = new Problems()
  const messages = records(body['messages'])
  problems.unless(typeof body['max_tokens'] === 'number', 'max_tokens', 'there is none')
  problems.unless(body['stream'] === true, 'stream', 'it is not asked for')
  if (body['system'] !== undefined) problems.content('system', body['system'])
  problems.unless(messages[0]?.['role'] === 'user', 'messages', 'the first one is not the user’s')
  problems.unless(messages.at(-1)?.['role'] === 'user', 'messages', 'the last one is not the user’s')
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Json
    const where = `messages[${index}] (${text(message['role'])})`
    problems.unless(message['role'] === 'user' || message['role'] === 'assistant', where, 'no role')
    problems.unless(message['role'] !== messages[index - 1]?.['role'], where, 'the roles do not alternate')
    problems.content(where, message['content'])
    const blocks = records(message['content'])
    if (message['role'] === 'assistant') assistantProblems(problems, where, blocks, messages[index + 1])
    else userProblems(problems, where, blocks, messages[index - 1])
  }
  const tools = records(body['tools'])
  problems.tools(tools.map((tool) => ({ name: tool['name'], schema: tool['input_schema'] })))
  const marks = JSON.stringify(body).split('"cache_control"').length - 1
  problems.unless(marks <= 4, 'cache_control', `${marks} marks, and no more than 4 are taken`)
  return problems.all
}

const ofType = (blocks: readonly Json[], type: string): Json[] => blocks.filter((block) => block['type'] === type)
const results = (message: Json | undefined): string[] =>
  ofType(records(message?.['content']), 'tool_result').map((block) => text(block['tool_use_id']))
const uses = (blocks: readonly Json[]): string[] => ofType(blocks, 'tool_use').map((block) => text(block['id']))

function assistantProblems(problems: Problems, where: string, blocks: readonly Json[], after: Json | undefined): void {
  for (const use of ofType(blocks, 'tool_use')) {
    problems.call(where, use['id'], use['name'])
    problems.unless(/^[A-Za-z0-9_-]+$/.test(text(use['id'])), where, `"${text(use['id'])}" is no id of a call`)
    problems.unless(isRecord(use['input']), where, 'an input that is no object')
  }
  for (const thinking of ofType(blocks, 'thinking'))
    problems.unless(text(thinking['signature']) !== '', where, 'thinking without its signature')
  const firstOther = blocks.findIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking')
  const lastThinking = blocks.findLastIndex(({ type }) => type === 'thinking')
  problems.unless(firstOther < 0 || lastThinking < firstOther, where, 'thinking that does not come first')
  problems.answers(where, uses(blocks), results(after))
}

function userProblems(problems: Problems, where: string, blocks: readonly Json[], before: Json | undefined): void {
  const count = results({ content: blocks }).length
  const leading = blocks.slice(0, count).every((block) => block['type'] === 'tool_result')
  problems.unless(leading, where, 'results that do not come first')
  if (count > 0) problems.answers(where, uses(records(record(before)['content'])), results({ content: blocks }))
}
