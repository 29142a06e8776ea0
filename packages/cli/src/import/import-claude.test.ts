import { join } from 'node:path'
import { checkProject, plainFinding } from '@retinue/project'
import { expect, test } from 'vitest'
import { cliProject, writeFiles } from '../../test-support/cli-project.ts'
import { importProject } from './import-project.ts'
import type { LeftOver } from './imported.ts'

/** What becomes of agents of `.claude/agents`, by their file's name; each value is a frontmatter. */
async function imported(heads: Readonly<Record<string, string>>): Promise<{
  root: string
  texts: Record<string, string>
  left: readonly LeftOver[]
}> {
  const root = cliProject({})
  for (const [name, head] of Object.entries(heads))
    writeFiles(root, { [`.claude/agents/${name}.md`]: `---\n${head}\n---\nHelp.\n` })
  const into = { app: 'src/retinue', supervisor: 'assistant', model: 'offline/planner' }
  const { files, left } = await importProject({ ...into, source: root, project: root })
  const texts = [...files].map(([path, text]) => [path.split('/').at(-2) ?? '', text])
  return { root, texts: Object.fromEntries(texts), left }
}

const REST = 'description: Helps.\ntools: []'

test('B11.13 models of .claude that mean something here are carried over, and any other is told', async () => {
  const models = {
    opus: 'anthropic/claude-opus-4-1',
    Haiku: 'anthropic/claude-haiku-4-5',
    inherit: 'offline/planner',
    '': 'offline/planner',
    'claude-sonnet-4-5-20250929': 'anthropic/claude-sonnet-4-5-20250929',
    'openai/gpt-5.5': 'openai/gpt-5.5',
    default: undefined,
    opusplan: undefined,
    '5': undefined,
    '[a, b]': undefined,
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0': undefined,
    'anthropic.claude-opus-4-1-v1:0': undefined,
    'claude-sonnet-4-5@20250929': undefined,
    'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude': undefined,
    'nobody/model': undefined,
  }
  const heads = Object.keys(models).map((model, index) => [`a${index}`, `${REST}\nmodel: ${model}`])
  const { texts, left } = await imported(Object.fromEntries(heads))
  for (const [index, [model, here]] of Object.entries(models).entries()) {
    expect([model, texts[`a${index}`]]).toEqual([
      model,
      expect.stringContaining(`\nmodel: ${here ?? 'offline/planner'}\n`),
    ])
    const told = left.filter(({ file }) => file === `a${index}.md`)
    expect([model, told.length]).toEqual([model, here === undefined ? 1 : 0])
    if (here === undefined)
      expect(told[0]).toMatchObject({
        what: `its model "${model === '[a, b]' ? '["a","b"]' : model}"`,
        fix: 'it has offline/planner now: write model: provider/model in its agent.md for another',
      })
  }
})

test('B11.13 what a field of .claude is called here is said, and works', async () => {
  const { root, texts, left } = await imported({ a: `${REST}\nmaxTurns: 5\nskills: [x]\ncolor: red` })
  expect(left.map(({ what, fix }) => `${what}: ${fix}`)).toEqual([
    'maxTurns in its frontmatter: write maxSteps below defaultOptions in its agent.md',
    'skills in its frontmatter: copy each into its folder skills/: skills/<name>/SKILL.md',
    'color in its frontmatter: nothing here means that',
  ])
  const home = 'src/retinue/agents/assistant/subagents/a'
  writeFiles(root, {
    [`${home}/agent.md`]: (texts['a'] ?? '').replace('---\n', '---\ndefaultOptions:\n  maxSteps: 5\n'),
    [`${home}/skills/x/SKILL.md`]: '---\nname: x\ndescription: How to help, and when.\n---\nHelp.\n',
  })
  const { findings } = await checkProject(join(root))
  expect(findings.filter(({ code }) => code !== 'description-vague').map(plainFinding)).toEqual([])
})

test('B11.13 a frontmatter that is no YAML is told with the reason and the line', async () => {
  const { texts, left } = await imported({
    good: REST,
    bad: `name: bad\n${REST}\n"unclosed: 1`,
    list: '- name: a\n- description: b',
    tab: `description: Uses: a colon\nmore:\n  a: [1, 2\ntools: []`,
  })
  expect(Object.keys(texts)).toEqual(['good', 'assistant'])
  expect(left.map(({ file, line, what }) => `${file}:${line} ${what}`)).toEqual([
    'bad.md:5 its frontmatter can\'t be read: Missing closing "quote',
    "list.md:2 its frontmatter can't be read: it is a list, and not names with values",
    "tab.md:5 its frontmatter can't be read: Flow sequence in block collection must be sufficiently indented and end with a ]",
  ])
})

test('B1.5 B11.13 a name of .claude that no agent may have here is another one, and that is told', async () => {
  const { root, texts, left } = await imported({
    proto: `name: __proto__\n${REST}`,
    ['__proto__']: `name: ''\n${REST}`,
    long: `name: ${'a'.repeat(70)}\n${REST}`,
    dots: `name: a.b c\n${REST}`,
  })
  expect(Object.keys(texts).sort()).toEqual(['a-b-c', 'a'.repeat(64), 'agent', 'assistant', 'proto'].sort())
  expect(left.map(({ file, fix }) => `${file} ${fix}`)).toContain('proto.md it is called "proto" now')
  const { findings } = await checkProject(root)
  expect(findings.filter(({ code }) => code === 'name-invalid').map(plainFinding)).toEqual([])
})
