import { scriptedModel } from '@retinue/core/testing'
import { expect, test } from 'vitest'
import { agent, agentsProject, below, config, type Files, MODEL } from '../test-support/temp-project.ts'
import { loadProject } from './load-project.ts'

type Turn = Parameters<typeof scriptedModel>[0][number]

const load = (args: unknown): Turn => ({ calls: [{ name: 'skill', args }] })

/** Loads the agent `sup` from its files and runs it; its model ends with "Done.". */
async function run(files: Files, turns: readonly Turn[] = []) {
  const { agents, findings } = await loadProject(agentsProject({ ...agent('sup', files) }))
  const model = scriptedModel([...turns, { text: 'Done.' }])
  const result = await agents['sup']?.generate('Go', { resolveModel: () => model })
  model.assertDone()
  /** What the model read of each call. */
  const read = model.calls.slice(1).map(({ text }) => text.slice(text.lastIndexOf('\ntool: ') + 7))
  return { model, result, read, codes: findings.map(({ code }) => code), options: agents['sup']?.options }
}

/** The skills that a model was told of, by name. */
function told(system: unknown): (string | undefined)[] {
  return [...String(system).matchAll(/^- (\S+):/gm)].map(([, name]) => name)
}

const SKILL = `---
description: Fills in forms.
---

Read [the fields](references/fields.md).
`
const named = (name: string, more = ''): string =>
  `{ name: '${name}', description: 'Does.', instructions: 'Do ${name}.'${more} }`

test('B11.2 skills of every form are told briefly, loaded with the tool, and their references read', async () => {
  const files = below('skills', {
    'forms/SKILL.md': SKILL,
    'forms/references/fields.md': 'Field A.\n',
    'forms/assets/form.txt': '____',
    'forms/HINTS.md': 'Write clearly.\n',
    'flat.md': '---\nname: better-name\ndescription: Does.\n---\nDo it.\n',
    'code.ts': `import { createSkill } from '@retinue/core/skills'\nexport default createSkill(${named('in-code', ", references: { 'a.md': async () => 'Late.' }")})\n`,
    'plain.ts': "export default { description: 'Does.', instructions: () => 'Now.' }\n",
  })
  const { model, read, codes } = await run(files, [
    load({ name: 'forms' }),
    load({ name: 'forms', reference: 'references/fields.md' }),
    load({ name: 'forms', reference: 'HINTS.md' }),
    load({ name: 'better-name' }),
    load({ name: 'in-code', reference: 'a.md' }),
    load({ name: 'plain' }),
  ])
  expect(codes).toEqual([])
  const [call] = model.calls
  expect(call?.prompt.map(({ role }) => role)).toEqual(['system', 'system', 'user'])
  expect(told(call?.prompt[1]?.content)).toEqual(['better-name', 'forms', 'in-code', 'plain'])
  // Nothing of a skill's text, and nothing of its header, is in the prompt.
  expect(call?.text).not.toMatch(/the fields|---|description:/)
  expect(read[0]).toMatch(/^<skill name="forms">\nRead \[the fields\]\(references\/fields\.md\)\.\n<\/skill>\n/)
  expect(read[0]?.split('\n').filter((line) => line.startsWith('- '))).toEqual([
    '- HINTS.md',
    '- assets/form.txt',
    '- references/fields.md',
  ])
  expect(read.slice(1)).toEqual([
    'Field A.\n',
    'Write clearly.\n',
    '<skill name="better-name">\nDo it.\n</skill>',
    'Late.',
    '<skill name="plain">\nNow.\n</skill>',
  ])
})

test('S25 what a model reads is the same with a byte order mark, CRLF and blank lines first', async () => {
  const files = (form: (text: string) => string): Files => {
    return { 'skills/forms/SKILL.md': form(SKILL), 'skills/forms/references/fields.md': form('One\ntwo\n').trimStart() }
  }
  const turns = [load({ name: 'forms' }), load({ name: 'forms', reference: 'references/fields.md' })]
  const plain = await run(
    files((text) => text),
    turns,
  )
  const forms = [
    (text: string) => `\uFEFF${text}`,
    (text: string) => text.replaceAll('\n', '\r\n'),
    (text: string) => `\n\n${text}`,
    (text: string) => `\uFEFF\r\n${text.replaceAll('\n', '\r\n')}`,
  ]
  for (const form of forms) {
    const { model } = await run(files(form), turns)
    expect(model.calls.map(({ text }) => text)).toEqual(plain.model.calls.map(({ text }) => text))
  }
  const open = await run({ ...files((text) => text), 'skills/forms/SKILL.md': SKILL.trimEnd() }, turns)
  expect(open.read).toEqual(plain.read)
})

test("all that a skill's frontmatter says is in the agent's options", async () => {
  const head = `---
name: forms
description: Fills in forms.
license: MIT
compatibility: None.
metadata: { author: me }
allowed-tools: search Bash(git:*)
---
Do it.
`
  const { options } = await run({ 'skills/forms/SKILL.md': head })
  expect(options?.skills).toEqual([
    {
      name: 'forms',
      description: 'Fills in forms.',
      license: 'MIT',
      compatibility: 'None.',
      metadata: { author: 'me' },
      allowedTools: ['search', 'Bash(git:*)'],
      instructions: 'Do it.\n',
      references: {},
    },
  ])
})

for (const [form, skills] of [
  ['a list', `[${named('a')}, ${named('own')}]`],
  ['a record', `{ x: ${named('a')}, own: ${named('own')} }`],
  ['a function', `({ requestContext }) => (requestContext.get('none'), [${named('a')}, ${named('own')}])`],
  ['a function that gives a promise', `async () => ({ x: ${named('a')}, own: ${named('own')} })`],
]) {
  test(`B11.4 skills: the config's win, by name, where they are ${form}`, async () => {
    const files = { 'skills/a.md': SKILL, 'skills/b.md': SKILL, 'config.ts': config(`${MODEL}, skills: ${skills}`) }
    const { model, read } = await run(files, [load({ name: 'a' })])
    expect(told(model.calls[0]?.prompt[1]?.content)).toEqual(['a', 'own', 'b'])
    expect(read).toEqual(['<skill name="a">\nDo a.\n</skill>'])
  })
}

test('B2.3 skills of an agent are not those of its subagents, nor the other way round', async () => {
  const files = {
    ...agent('sup', { 'skills/of-parent.md': SKILL }),
    ...agent('sup/subagents/kid', { 'skills/of-child.md': SKILL }),
  }
  const { agents } = await loadProject(agentsProject(files))
  const model = scriptedModel([
    { calls: [{ name: 'kid', args: { prompt: 'Help.' } }] },
    { text: 'Helped.' },
    { text: 'Done.' },
  ])
  await agents['sup']?.generate('Go', { resolveModel: () => model })
  expect(model.calls.map(({ prompt }) => told(prompt[1]?.content))).toEqual([
    ['of-parent'],
    ['of-child'],
    ['of-parent'],
  ])
})

/** Processors that write their names behind the input and the answer. */
const input = (name: string): string => {
  return `{ id: '${name}', processInput: ({ messages }) => [...messages, { role: 'user', content: '${name}' }] }`
}
const output = (name: string): string => `{ id: '${name}', processOutputResult: ({ text }) => text + ' ${name}' }`

const PROCESSORS = {
  'processors/input/20-b.ts': `export default ${input('second')}\n`,
  'processors/input/10-c.ts': `export default ${input('first')}\n`,
  'processors/output/a.mts': `export default ${output('late')}\n`,
  'processors/output/B.js': `export default ${output('early')}\n`,
}

test('B11.2 processors run in the order of the names of their files', async () => {
  const { model, result, codes } = await run(PROCESSORS)
  expect([result?.text, codes]).toEqual(['Done. early late', []])
  expect(model.calls[0]?.text).toBe('system: Work.\n\nuser: Go\nuser: first\nuser: second')
})

for (const [form, wrap] of [
  ['a list', (list: string) => list],
  ['a function', (list: string) => `() => ${list}`],
  [
    'a function that gives a promise',
    (list: string) => `async ({ requestContext }) => (requestContext.get('x'), ${list})`,
  ],
] as const) {
  test(`B11.4 processors: the config's come first, where they are ${form}`, async () => {
    const fields = `inputProcessors: ${wrap(`[${input('own')}]`)}, outputProcessors: ${wrap(`[${output('mine')}]`)}`
    const { model, result } = await run({ ...PROCESSORS, 'config.ts': config(`${MODEL}, ${fields}`) })
    expect(result?.text).toBe('Done. mine early late')
    expect(model.calls[0]?.text.split('\n').slice(-4)).toEqual(['user: Go', 'user: own', 'user: first', 'user: second'])
  })
}

test('B1.1 a processor of a file stops the run, and an instance of a class keeps what it is', async () => {
  const guard = `class Guard {
  id = 'guard'
  #word = 'secret'
  processOutputStream({ part, abort }) {
    if (part.type === 'text-delta' && part.delta.includes(this.#word)) abort('no secrets')
    return part
  }
}
export default new Guard()
`
  const { agents } = await loadProject(agentsProject(agent('sup', { 'processors/output/guard.ts': guard })))
  const stream = await agents['sup']?.stream('Go', {
    resolveModel: () => scriptedModel([{ text: 'The secret is 42.' }]),
  })
  expect([await stream?.finishReason, (await stream?.error)?.code]).toEqual(['other', 'processor-stopped'])
  expect(await stream?.text).toBe('')
})

const scorer = (score: number): string => {
  return `import { createScorer } from '@retinue/core/evals'\nexport default createScorer({ id: 's', description: 'Scores.' }).generateScore(() => ${score})\n`
}

test("B11.2 B11.4 scorers grade the answer under the names of their files, and the config's win", async () => {
  const own = `${MODEL}, scorers: { own: { id: 'o', run: async () => ({ score: 0.1 }) }, both: { id: 'b', run: async () => ({ score: 0.2 }) } }`
  const files = {
    'config.ts': config(own),
    'scorers/both.ts': "throw new Error('run')\n",
    'scorers/constructor.ts': scorer(0.3),
    'scorers/all.ts': `import scorer from './constructor.ts'\nexport default { scorer, sampling: { type: 'ratio', rate: 1 } }\n`,
    'scorers/none.ts': `import scorer from './constructor.ts'\nexport default { scorer, sampling: { type: 'none' } }\n`,
  }
  const { agents } = await loadProject(agentsProject(agent('sup', files)))
  const scores: [string, number | undefined][] = []
  const result = await agents['sup']?.generate('Go', {
    resolveModel: () => scriptedModel([{ text: 'Done.' }]),
    onScore: ({ key, score }) => void scores.push([key, score]),
  })
  await result?.scores
  expect(scores.sort()).toEqual([
    ['all', 0.3],
    ['both', 0.2],
    ['constructor', 0.3],
    ['own', 0.1],
  ])
})

test('B11.4 what a function gives that is no list is left for core to refuse', async () => {
  for (const [field, code] of [
    ['skills: (() => 5) as never', 'skill-invalid'],
    ['inputProcessors: (() => 5) as never', 'agent-invalid'],
  ] as const) {
    const files = { ...PROCESSORS, 'skills/a.md': SKILL, 'config.ts': config(`${MODEL}, ${field}`) }
    await expect(run(files)).rejects.toMatchObject({ code })
  }
})

test('no files: the options of the config are handed on as they are', async () => {
  const fields = 'skills: () => [], inputProcessors: [], scorers: {}'
  const { agents } = await loadProject(agentsProject(agent('sup', { 'config.ts': config(`${MODEL}, ${fields}`) })))
  const { skills, inputProcessors, outputProcessors, scorers } = agents['sup']?.options ?? {}
  expect([typeof skills, inputProcessors, outputProcessors, scorers]).toEqual(['function', [], undefined, {}])
})
