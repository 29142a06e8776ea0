import { type ScriptedModels, scriptedModels } from '@retinue/core/testing'
import { expect, test } from 'vitest'
import { agent, agentsProject, config, type Files, MODEL, subagentConfig } from '../test-support/temp-project.ts'
import { loadProject } from './load-project.ts'

const ask = (name: string, prompt: string): { calls: { name: string; args: { prompt: string } }[] } => {
  return { calls: [{ name, args: { prompt } }] }
}

/** Loads the agent `sup` from its files, runs it on "Secret plans." and gives what its models were asked. */
async function run(files: Files, script: ScriptedModels, input = 'Secret plans.'): Promise<ScriptedModels> {
  const { agents } = await loadProject(agentsProject(files))
  await agents['sup']?.generate(input, { resolveModel: script.resolveModel })
  script.assertDone()
  return script
}

test('B3 the hooks of hooks.ts run: the filter before the child, the feedback after it', async () => {
  const hooks = `export default {
  messageFilter: ({ messages }) => messages.filter(({ content }) => !JSON.stringify(content).includes('Secret')),
  onDelegationComplete: ({ key, success }) => ({ feedback: key + ' did well: ' + success }),
}
`
  const script = scriptedModels({ sup: [ask('kid', 'Count.'), { text: 'Done.' }], 'sup/kid': [{ text: 'Three.' }] })
  await run({ ...agent('sup', { 'hooks.ts': hooks }), ...agent('sup/subagents/kid') }, script)
  const [kid] = script.calls('sup/kid')
  expect([kid?.text.includes('Count.'), kid?.text.includes('Secret')]).toEqual([true, false])
  expect(script.calls('sup')[1]?.text).toContain('kid did well: true')
})

test("B3.3 a rejection by hooks.ts reaches the parent's model, and the child's is not called", async () => {
  const hooks = `export default {
  onDelegationStart: ({ prompt }) => (prompt.includes('bank') ? { proceed: false, rejectionReason: 'Not the bank.' } : undefined),
}
`
  const script = scriptedModels({ sup: [ask('kid', 'Rob the bank.'), { text: 'Done.' }] })
  await run({ ...agent('sup', { 'hooks.ts': hooks }), ...agent('sup/subagents/kid') }, script)
  expect(script.calls('sup')[1]?.text).toContain('Not the bank.')
})

/** Of each hook, which source it came from. */
const FROM_FILE = `export default {
  onDelegationStart: ({ prompt }) => ({ modifiedPrompt: prompt + ' (start: file)' }),
  onDelegationComplete: () => ({ feedback: 'complete: file' }),
  messageFilter: () => { throw new Error('filter: file') },
}
`
const FROM_CONFIG = `{
  maxSteps: 7,
  delegation: { messageFilter: () => [], onDelegationComplete: () => ({ feedback: 'complete: config' }), onDelegationStart: undefined },
}`

for (const [form, own] of [
  ['an object', FROM_CONFIG],
  ['a function', `({ requestContext }) => (requestContext.get('none'), ${FROM_CONFIG})`],
  ['a function that gives a promise', `async () => (${FROM_CONFIG})`],
]) {
  test(`B11.4 hooks: the config's default options win hook by hook, where they are ${form}`, async () => {
    const files = { 'config.ts': config(`${MODEL}, defaultOptions: ${own}`), 'hooks.ts': FROM_FILE }
    const script = scriptedModels({ sup: [ask('kid', 'Count.'), { text: 'Done.' }], 'sup/kid': [{ text: 'Three.' }] })
    await run({ ...agent('sup', files), ...agent('sup/subagents/kid') }, script)
    const [kid] = script.calls('sup/kid')
    expect([kid?.text.includes('Count. (start: file)'), kid?.text.includes('Secret')]).toEqual([true, false])
    expect(script.calls('sup')[1]?.text).toContain('complete: config')
    expect(script.calls('sup')[1]?.text).not.toContain('complete: file')
  })
}

test('B11.4 the other default options of the config stay, and default options that are none are left to be refused', async () => {
  const kid = agent('sup/subagents/kid')
  const own = config(`${MODEL}, defaultOptions: { maxSteps: 7 }`)
  const root = agentsProject({ ...agent('sup', { 'config.ts': own, 'hooks.ts': FROM_FILE }), ...kid })
  const { defaultOptions } = (await loadProject(root)).agents['sup']?.options ?? {}
  expect(defaultOptions).toMatchObject({ maxSteps: 7, delegation: { onDelegationStart: expect.any(Function) } })
  const told = 'project-invalid'
  const late = 'option-invalid'
  for (const [wrong, code] of [
    ['5', told],
    ['() => 5', late],
    ['{ delegation: 5 }', told],
    ['() => ({ delegation: null })', late],
  ]) {
    const files = { 'config.ts': config(`${MODEL}, defaultOptions: (${wrong}) as never`), 'hooks.ts': FROM_FILE }
    const running = run({ ...agent('sup', files), ...kid }, scriptedModels({}))
    await expect(running).rejects.toMatchObject({ code })
  }
})

test("B11.2 a subagent's own hooks.ts is for its own subagents, and an agent.md may have one", async () => {
  const tag = (name: string): string => {
    return `export default { onDelegationStart: ({ prompt }) => ({ modifiedPrompt: prompt + ' (hook: ${name})' }) }\n`
  }
  const files = {
    'sup/agent.md': '---\nmodel: openai/gpt-5.5\ndefaultOptions: { maxSteps: 5 }\n---\nLead.\n',
    'sup/hooks.ts': tag('sup'),
    ...agent('sup/subagents/mid', { 'config.ts': subagentConfig(), 'hooks.ts': tag('mid') }),
    ...agent('sup/subagents/mid/subagents/low'),
  }
  const script = scriptedModels({
    sup: [ask('mid', 'To mid.'), { text: 'Done.' }],
    'sup/mid': [ask('low', 'To low.'), { text: 'Done.' }],
    'sup/mid/low': [{ text: 'Done.' }],
  })
  await run(files, script)
  const [mid, low] = [script.calls('sup/mid')[0]?.text ?? '', script.calls('sup/mid/low')[0]?.text ?? '']
  expect([mid.includes('To mid. (hook: sup)'), mid.includes('(hook: mid)')]).toEqual([true, false])
  expect(low).toContain('To low. (hook: mid)')
  expect(low).not.toContain('To low. (hook: sup)')
})
