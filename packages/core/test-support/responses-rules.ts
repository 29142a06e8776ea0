import { type Json, list, record, records, text } from './wire-json.ts'
import { Problems, type WireRules } from './wire-rules.ts'

/** An item that the server answered with, which requests can name by its id. */
interface Item {
  readonly type: string
  readonly callId: string
  /** The reasoning that led to it, which has to stand before it. */
  readonly reasoning: string | undefined
}

/** What OpenAI's responses API takes. It remembers the items that it made, as the API does. */
export function responsesRules(): WireRules {
  const items = new Map<string, Item>()
  return {
    problems: (body) => responsesProblems(body, items),
    answered(response) {
      let reasoning: string | undefined
      for (const item of itemsDone(response)) {
        const type = text(item['type'])
        const made = { type, callId: text(item['call_id']), reasoning: type === 'reasoning' ? undefined : reasoning }
        items.set(text(item['id']), made)
        if (type === 'reasoning') reasoning = text(item['id'])
      }
    },
  }
}

function itemsDone(response: string): Json[] {
  return response.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {')) return []
    try {
      const event = record(JSON.parse(line.slice(6)))
      return event['type'] === 'response.output_item.done' ? [record(event['item'])] : []
    } catch {
      return []
    }
  })
}

function responsesProblems(body: Json, items: ReadonlyMap<string, Item>): string[] {
  const problems = new Problems()
  problems.unless(text(body['model']) !== '', 'model', 'there is none')
  problems.unless(body['stream'] === true, 'stream', 'it is not asked for')
  const input = records(body['input']).map((item) => resolved(problems, item, items))
  const lead = input.findIndex((item) => !isSystem(item))
  let open: string[] = []
  for (let index = 0; index < input.length; index++) {
    const item = input[index] as Json
    const where = `input[${index}] (${kindOf(item)})`
    if (isSystem(item)) problems.unless(index < lead, where, 'a system message after the leading ones')
    if (index === lead) problems.unless(item['role'] === 'user', where, 'the conversation begins with it')
    if (kindOf(item) === 'function_call_output') {
      problems.unless(open.includes(text(item['call_id'])), where, 'it answers no open call')
      problems.content(where, item['output'])
      open = open.filter((id) => id !== item['call_id'])
      continue
    }
    if (kindOf(item) !== 'function_call' && kindOf(item) !== 'reasoning')
      problems.unless(open.length === 0, where, `the calls ${open.join()} are still open`)
    if (kindOf(item) === 'function_call') {
      problems.call(where, item['call_id'], item['known'] ? 'known' : item['name'])
      if (!item['known']) problems.argumentsText(where, item['arguments'])
      open.push(text(item['call_id']))
    } else if (item['role'] !== undefined) problems.content(where, item['content'])
    reasoningProblems(problems, where, item, input.slice(0, index), input[index + 1])
  }
  const last = input.at(-1) ?? {}
  problems.unless(open.length === 0, 'input', `the calls ${open.join()} have no output`)
  const asks = last['role'] === 'user' || kindOf(last) === 'function_call_output'
  problems.unless(asks, 'input', 'the last item is neither the user’s nor an output')
  problems.tools(records(body['tools']).map((tool) => ({ name: tool['name'], schema: tool['parameters'] })))
  return problems.all
}

const kindOf = (item: Json): string => text(item['type']) || text(item['role'])
const isSystem = (item: Json): boolean => item['role'] === 'system' || item['role'] === 'developer'

/** An item in full, or what it was when this server made it. */
function resolved(problems: Problems, item: Json, items: ReadonlyMap<string, Item>): Json {
  const id = text(item['id'])
  const known = items.get(id)
  if (item['type'] !== 'item_reference') return known ? { ...item, reasoned: known.reasoning } : item
  problems.unless(known !== undefined, `the reference "${id}"`, 'no such item was made here')
  return { type: known?.type, call_id: known?.callId, id, reasoned: known?.reasoning, known: true }
}

/** An item and the reasoning that led to it are sent together or not at all. */
function reasoningProblems(
  problems: Problems,
  where: string,
  item: Json,
  before: readonly Json[],
  after: Json | undefined,
): void {
  const { reasoned } = item
  if (reasoned !== undefined) {
    const stands = before.some((earlier) => kindOf(earlier) === 'reasoning' && earlier['id'] === reasoned)
    problems.unless(stands, where, `it was made after the reasoning "${text(reasoned)}", which is missing`)
  }
  if (kindOf(item) !== 'reasoning') return
  const follows =
    after !== undefined && (after['role'] === 'assistant' || /call$|message|reasoning/.test(kindOf(after)))
  problems.unless(follows, where, 'what it led to does not follow')
  problems.unless(item['known'] === true || list(item['summary']) === item['summary'], where, 'no summary')
}
