import { expect, test } from 'vitest'
import { agent, config, type Files, findingsOf, MODEL, told, tool } from '../../test-support/temp-project.ts'

/** An agent with a tool `search` and two subagents, one of them with one of its own. */
function withOptions(options: string): Files {
  return {
    ...agent('sup', { 'config.ts': config(`${MODEL}, ${options}`), 'tools/search.ts': tool() }),
    ...agent('sup/subagents/a'),
    ...agent('sup/subagents/a/subagents/deep'),
    ...agent('sup/subagents/b'),
  }
}

test('B11.11 a subagent that nobody can reach, at the option that hides it', async () => {
  const options = [
    "defaultOptions: { activeTools: ['search', 'a'] }",
    "defaultOptions: { activeTools: ['search'] }",
    "defaultOptions: { toolChoice: 'none' }",
    "defaultOptions: { toolChoice: { type: 'tool', toolName: 'a' } }",
    'maxDepth: 1',
    'maxDepth: 0',
  ]
  const found = await Promise.all(options.map(async (option) => told(await findingsOf(withOptions(option)))))
  expect(found.join('\n')).toMatchInlineSnapshot(`
    "warning[subagent-unreachable] sup/config.ts:2:86 (sup)
      nothing can reach the subagent "b": activeTools leaves it out
      fix: add "b" to activeTools, or leave activeTools out
    warning[subagent-unreachable] sup/config.ts:2:86 (sup)
      nothing can reach the subagents "a" and "b": activeTools leaves them out
      fix: add "a" and "b" to activeTools, or leave activeTools out
    warning[subagent-unreachable] sup/config.ts:2:85 (sup)
      nothing can reach the subagents "a" and "b": toolChoice is 'none'
      fix: write toolChoice: 'auto', or leave it out
    warning[subagent-unreachable] sup/config.ts:2:85 (sup)
      nothing can reach the subagent "b": toolChoice allows only "a"
      fix: write toolChoice: 'auto', or leave it out
    warning[subagent-unreachable] sup/config.ts:2:65 (sup > a)
      nothing can reach the subagent "deep": maxDepth of "sup" is 1
      fix: write maxDepth: 2 or more, or leave it out
    warning[subagent-unreachable] sup/config.ts:2:65 (sup)
      nothing can reach the subagents "a" and "b": maxDepth of "sup" is 0
      fix: write maxDepth: 1 or more, or leave it out"
  `)
})

test.each([
  ["defaultOptions: { activeTools: ['a', 'b'] }"],
  ["defaultOptions: { toolChoice: 'required' }"],
  ["defaultOptions: { toolChoice: 'none', prepareStep: () => ({ toolChoice: 'auto' }) }"],
  ["defaultOptions: () => ({ toolChoice: 'none' })"],
  ['maxDepth: 2'],
])('B11.11 subagents that can be reached, or may be: %s', async (options) => {
  expect(await findingsOf(withOptions(options))).toEqual([])
})

test('B11.11 options in a frontmatter, and a subagent in code', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'
const kid = new Agent({ id: 'kid', description: 'Helps out.', ${MODEL}, instructions: 'Work.' })
export default { ${MODEL}, agents: { kid }, defaultOptions: { toolChoice: 'none' } }
`
  const files = {
    ...agent('sup', { 'config.ts': coded }),
    'file/agent.md': '---\nmodel: openai/a\nmaxDepth: 0\n---\nWork.\n',
    ...agent('file/subagents/x'),
  }
  expect(told(await findingsOf(files))).toMatchInlineSnapshot(`
    "warning[subagent-unreachable] file/agent.md:3:11 (file)
      nothing can reach the subagent "x": maxDepth of "file" is 0
      fix: write maxDepth: 1 or more, or leave it out
    warning[subagent-unreachable] sup/config.ts:3:90 (sup)
      nothing can reach the subagent "kid": toolChoice is 'none'
      fix: write toolChoice: 'auto', or leave it out"
  `)
})
