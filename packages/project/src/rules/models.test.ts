import { expect, test } from 'vitest'
import { agent, config, findingsOf, MODEL, toldOf } from '../../test-support/temp-project.ts'

test('B1.2 a model that names no provider, at the property', async () => {
  const models = ["'gpt-5'", "'/gpt-5'", "'openai/'", "' openai/gpt-5'", "['openai/gpt-5', 'gpt-5']"]
  const files = models.map((model, at) => agent(`a${at}`, { 'config.ts': config(`model: ${model}`) }))
  expect(await toldOf(Object.assign({}, ...files))).toMatchInlineSnapshot(`
    "error[model-invalid] a0/config.ts:2:37 (a0)
      "gpt-5" is no model name
      fix: write it as 'provider/model', such as 'openai/gpt-5.5'
    error[model-invalid] a1/config.ts:2:37 (a1)
      "/gpt-5" is no model name
      fix: write it as 'provider/model', such as 'openai/gpt-5.5'
    error[model-invalid] a2/config.ts:2:37 (a2)
      "openai/" is no model name
      fix: write it as 'provider/model', such as 'openai/gpt-5.5'
    error[model-invalid] a3/config.ts:2:37 (a3)
      " openai/gpt-5" is no model name
      fix: write it as 'provider/model', such as 'openai/gpt-5.5'
    error[model-invalid] a4/config.ts:2:37 (a4)
      "gpt-5" is no model name
      fix: write it as 'provider/model', such as 'openai/gpt-5.5'"
  `)
})

test('B1.2 values that are no model', async () => {
  const models = [
    '5',
    '{} as never',
    "{ specificationVersion: 'v1', doStream() {} } as never",
    "['openai/x', 5] as never",
  ]
  const files = models.map((model, at) => agent(`a${at}`, { 'config.ts': config(`model: ${model}`) }))
  expect((await findingsOf(Object.assign({}, ...files))).map(({ code, line, column }) => [code, line, column])).toEqual(
    models.map(() => ['config-invalid', 2, 37]),
  )
})

test('B1.2 a provider that nobody knows: with the nearest known one; in Agents and agent.md too', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'
const kid = new Agent({ id: 'kid', description: 'Helps out.', model: 'nobody/x', instructions: 'Work.' })
export default { ${MODEL}, agents: { kid } }
`
  const files = {
    ...agent('slip', { 'config.ts': config("model: 'openia/gpt-5'") }),
    ...agent('sup', { 'config.ts': coded }),
    'file/agent.md': '---\nmodel: antropic/claude\n---\nWork.\n',
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[model-provider-unknown] file/agent.md:2:8 (file)
      no provider is called "antropic"
      fix: did you mean "anthropic"? Known are offline, openai, anthropic, google, mistral, groq, deepseek, xai, openrouter, ollama, lmstudio, llamacpp, vllm; others are registered in defaultOptions.providers
    warning[model-provider-unknown] slip/config.ts:2:37 (slip)
      no provider is called "openia"
      fix: did you mean "openai"? Known are offline, openai, anthropic, google, mistral, groq, deepseek, xai, openrouter, ollama, lmstudio, llamacpp, vllm; others are registered in defaultOptions.providers
    warning[model-provider-unknown] sup/config.ts:3:53 (sup)
      no provider is called "nobody"
      fix: known are offline, openai, anthropic, google, mistral, groq, deepseek, xai, openrouter, ollama, lmstudio, llamacpp, vllm; others are registered in defaultOptions.providers"
  `)
})

test('B1.2 known, offline and registered providers are in order', async () => {
  const providers = "model: 'mine/x', defaultOptions: { providers: { mine: () => { throw new Error() } } }"
  const files = {
    ...agent('a', { 'config.ts': config("model: ['anthropic/c', 'ollama/l', 'openrouter/meta/llama:free']") }),
    ...agent('b', { 'config.ts': config("model: 'offline/script:turns.yaml'") }),
    ...agent('c', { 'config.ts': config(providers) }),
    ...agent('c/subagents/kid', { 'config.ts': config("model: 'mine/y', description: 'Helps out.'") }),
  }
  expect(await findingsOf(files)).toEqual([])
})
