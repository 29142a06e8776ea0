import { expect, test } from 'vitest'
import { agent, config, type Files, findingsOf, MODEL, toldOf } from '../../test-support/temp-project.ts'

/** A supervisor whose subagents have these descriptions. */
function described(descriptions: Readonly<Record<string, string>>): Files {
  const kids = Object.entries(descriptions).map(([key, text]) => {
    return agent(`sup/subagents/${key}`, { 'config.ts': config(`${MODEL}, description: ${JSON.stringify(text)}`) })
  })
  return Object.assign(agent('sup'), ...kids)
}

async function codesOf(descriptions: Readonly<Record<string, string>>): Promise<string[]> {
  return (await findingsOf(described(descriptions))).map(({ code, agentPath }) => `${code} ${agentPath.at(-1)}`)
}

test('B11.11 a description that says nothing is a warning, at the description', async () => {
  const descriptions = {
    blankish: '…',
    'fact-checker': 'The fact checker agent.',
    one: 'Helps.',
    todo: 'TODO: write this',
    vague: 'An agent for you to use.',
  }
  expect(await toldOf(described(descriptions))).toMatchInlineSnapshot(`
    "warning[description-vague] sup/subagents/blankish/config.ts:2:68 (sup > blankish)
      the description of subagent "blankish" says nothing: it does not say what the agent does
      fix: say what it does, and when to ask it: description: 'Use to …'
    warning[description-vague] sup/subagents/fact-checker/config.ts:2:68 (sup > fact-checker)
      the description of subagent "fact-checker" says nothing: it repeats the name
      fix: say what it does, and when to ask it: description: 'Use to …'
    warning[description-vague] sup/subagents/one/config.ts:2:68 (sup > one)
      the description of subagent "one" says nothing: it is one word
      fix: say what it does, and when to ask it: description: 'Use to …'
    warning[description-vague] sup/subagents/todo/config.ts:2:68 (sup > todo)
      the description of subagent "todo" says nothing: it is a placeholder
      fix: say what it does, and when to ask it: description: 'Use to …'
    warning[description-vague] sup/subagents/vague/config.ts:2:68 (sup > vague)
      the description of subagent "vague" says nothing: it does not say what the agent does
      fix: say what it does, and when to ask it: description: 'Use to …'"
  `)
})

test('B11.11 a short description that says something is in order, in any script', async () => {
  const descriptions = {
    writer: 'Writes drafts.',
    todo: 'TODO lists: adds, sorts and ticks off entries.',
    translator: '翻訳と要約',
    checker: 'Fact checks.',
    numbers: 'Prüft Zahlen.',
  }
  expect(await codesOf(descriptions)).toEqual([])
})

test('B11.11 an agent in code is judged by its description too; one without a parent is not', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'
const kid = new Agent({ id: 'kid', description: 'An agent', ${MODEL}, instructions: 'Work.' })
export default { ${MODEL}, description: 'TODO', agents: { kid } }
`
  expect(await toldOf(agent('sup', { 'config.ts': coded }))).toMatchInlineSnapshot(`
    "warning[description-vague] sup/config.ts:3:74 (sup)
      the description of subagent "kid" says nothing: it does not say what the agent does
      fix: say what it does, and when to ask it: description: 'Use to …'"
  `)
})

test('B11.11 descriptions of siblings that say the same are a warning, at the later one', async () => {
  const descriptions = {
    a: 'Use to gather facts, sources and notes for a topic.',
    b: 'Gathers sources, facts and notes on topics.',
    c: 'Use to gather facts, sources, notes and quotes for a topic.',
    d: 'Gather facts, sources and notes for the topic.',
    e: 'Use to turn research notes into a structured draft.',
  }
  expect(await toldOf(described(descriptions))).toMatchInlineSnapshot(`
    "warning[descriptions-alike] sup/subagents/b/config.ts:2:68 (sup > b)
      the descriptions of the subagents "a" and "b" say the same
      fix: say in each what the other does not do, or make one agent of "a" and "b"
    warning[descriptions-alike] sup/subagents/c/config.ts:2:68 (sup > c)
      the descriptions of the subagents "a" and "c" say the same
      fix: say in each what the other does not do, or make one agent of "a" and "c"
    warning[descriptions-alike] sup/subagents/d/config.ts:2:68 (sup > d)
      the descriptions of the subagents "a" and "d" say the same
      fix: say in each what the other does not do, or make one agent of "a" and "d""
  `)
})

test('B11.11 descriptions that differ by a word each can be told apart', async () => {
  expect(
    await codesOf({
      france: 'Answers questions about orders, invoices, refunds and shipping for customers in France.',
      japan: 'Answers questions about orders, invoices, refunds and shipping for customers in Japan.',
      refunds: 'Answers questions about refunds.',
    }),
  ).toEqual([])
})

test('B11.11 the same description under two parents is no matter', async () => {
  const same = { 'config.ts': config(`${MODEL}, description: 'Drafts long letters.'`) }
  const files = {
    ...agent('one'),
    ...agent('two'),
    ...agent('one/subagents/x', same),
    ...agent('two/subagents/x', same),
  }
  expect(await findingsOf(files)).toEqual([])
})
