import { isRecord, type Json, record, records, text } from './wire-json.ts'
import { Problems, type WireRules } from './wire-rules.ts'

/** What Google's generateContent API takes. */
export function geminiRules(): WireRules {
  return { problems: (body) => geminiProblems(body), answered: () => {} }
}

function geminiProblems(body: Json): string[] {
  const problems = new Problems()
  const contents = records(body['contents'])
  if (body['systemInstruction'] !== undefined)
    problems.content('systemInstruction', record(body['systemInstruction'])['parts'])
  problems.unless(contents[0]?.['role'] === 'user', 'contents', 'the first one is not the user’s')
  problems.unless(contents.at(-1)?.['role'] === 'user', 'contents', 'the last one is not the user’s')
  for (let index = 0; index < contents.length; index++) {
    const content = contents[index] as Json
    const where = `contents[${index}] (${text(content['role'])})`
    problems.unless(content['role'] === 'user' || content['role'] === 'model', where, 'no role')
    problems.content(where, content['parts'])
    if (content['role'] === 'model') pairProblems(problems, where, content, contents[index + 1])
    else if (named(content, 'functionResponse').length > 0) pairProblems(problems, where, contents[index - 1], content)
  }
  const tools = records(body['tools']).flatMap((tool) => records(tool['functionDeclarations']))
  problems.tools(tools.map((tool) => ({ name: tool['name'], schema: tool['parametersJsonSchema'] })))
  return problems.all
}

function named(content: Json | undefined, kind: 'functionCall' | 'functionResponse'): Json[] {
  return records(content?.['parts']).flatMap((part) => (isRecord(part[kind]) ? [part[kind]] : []))
}

/** As many responses as calls, in the order of the calls, with nothing beside them. */
function pairProblems(problems: Problems, where: string, model: Json | undefined, user: Json | undefined): void {
  const calls = named(model, 'functionCall')
  const responses = named(user, 'functionResponse')
  problems.unless(
    calls.map(({ name }) => name).join() === responses.map(({ name }) => name).join(),
    where,
    `the calls ${calls.map(({ name }) => name).join()} have the responses ${responses.map(({ name }) => name).join()}`,
  )
  for (const [index, { id, name, args }] of calls.entries()) {
    problems.unless(/^[A-Za-z_][\w-]{0,63}$/.test(text(name)), where, `"${text(name)}" is no function name`)
    problems.unless(args === undefined || isRecord(args), where, 'arguments that are no object')
    const answer = responses[index]?.['id']
    problems.unless(
      id === undefined || answer === undefined || id === answer,
      where,
      `"${text(id)}" has another’s answer`,
    )
  }
  for (const { response } of responses) problems.unless(isRecord(response), where, 'a response that is no object')
  // What a function gave as a picture stands beside its response.
  const parts = records(user?.['parts'])
  const alone = parts.length === responses.length || parts.some((part) => isRecord(part['inlineData']))
  problems.unless(responses.length === 0 || alone, where, 'something stands beside the responses')
}
