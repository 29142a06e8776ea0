import { Agent } from '@retinue/core/agent'
import { scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { remembering } from '../../test-support/remembering.ts'
import { modelChooser } from '../run/choose-model.ts'
import { Conversation } from './conversation.ts'
import { LocalModels } from './local-models.ts'
import type { LocalServer } from './local-servers.ts'
import { SessionModel } from './session-model.ts'
import { type ChatSession, COMMAND_NAMES, runSlashCommand } from './slash-commands.ts'

const OLLAMA: LocalServer = { provider: 'ollama', name: 'Ollama', address: 'http://x', models: ['qwen3', 'llama3.2'] }

function session(servers: readonly LocalServer[] = [], env: Record<string, string> = {}): ChatSession {
  const search = createTool({ id: 'search', execute: () => 1 })
  const scout = new Agent({ id: 's', description: 'Scouts.', model: 'openai/gpt-5-mini', tools: { search } })
  const byRequest = new Agent({ id: 'd', description: 'Depends.', model: () => Promise.reject(new Error('not yet')) })
  const agent = new Agent({ id: 'lead', model: 'openai/gpt-5.5', agents: { scout, byRequest } })
  const model = new SessionModel(modelChooser(undefined, env), (name) => modelChooser(name, env))
  return {
    conversation: new Conversation(agent, model.choose),
    model,
    localModels: new LocalModels(env, async () => servers),
    flags: {},
  }
}

const textOf = async (command: string, of: ChatSession): Promise<string> => {
  const outcome = await runSlashCommand(command, of)
  return outcome === undefined ? 'no command' : outcome.type === 'exit' ? 'exit' : `${outcome.type}: ${outcome.text}`
}

test('/help tells of every command, on a narrow terminal one below the other', async () => {
  const help = await textOf('/help', session())
  for (const name of COMMAND_NAMES) expect(help).toContain(name)
  const narrow = await runSlashCommand('/help', session(), 40)
  expect(narrow).toMatchObject({ text: expect.stringContaining('/tree\n  Show the agents') })
})

test('/tree shows each agent, the model that answers and the tools', async () => {
  expect(await textOf('/tree', session([], { OPENAI_API_KEY: 'k' }))).toBe(
    'say: lead  openai/gpt-5.5\n  scout  openai/gpt-5-mini  tools: search\n  byRequest  (decided by each request)',
  )
})

test('/model says what answers and why, and what this machine offers', async () => {
  const report = await textOf('/model', session([OLLAMA]))
  expect(report).toContain('lead  offline/planner  (the config asks for openai/gpt-5.5; OPENAI_API_KEY is not set)')
  expect(report).toContain('  1  ollama/qwen3\n  2  ollama/llama3.2')
})

test('/model switches every agent for this session, by name or by number, and back', async () => {
  const chat = session([OLLAMA])
  expect(await textOf('/model offline/planner', chat)).toMatch(/^say: offline\/planner answers from now on/)
  expect(await textOf('/tree', chat)).toBe(
    'say: lead  offline/planner\n  scout  offline/planner  tools: search\n  byRequest  (decided by each request)',
  )
  expect(await textOf('/model 2', chat)).toMatch(/^say: ollama\/llama3.2 answers/)
  expect(await textOf('/model', chat)).toContain(
    'lead  ollama/llama3.2  (the config asks for openai/gpt-5.5; /model picked it)',
  )
  await textOf('/model default', chat)
  expect(await textOf('/model', chat)).toContain('OPENAI_API_KEY is not set')
})

test.each([
  ['nonsense', /no model name[\s\S]*provider\/model/],
  ['nobody/x', /No provider is called "nobody"/],
  ['openai/gpt-5.5', /OPENAI_API_KEY/],
  ['offline/nothing', /offline model/],
  ['3', /There is no model 3/],
  ['ollama/gone', /Ollama has no model "gone". It has qwen3, llama3.2/],
  ['vllm/any', /No server for vllm answers/],
])('/model %s is refused with the reason, and the old one stays', async (name, reason) => {
  const chat = session([OLLAMA])
  await textOf('/model ollama/qwen3', chat)
  const refused = await textOf(`/model ${name}`, chat)
  expect(refused).toMatch(/^refuse: /)
  expect(refused).toMatch(reason)
  expect(await textOf('/tree', chat)).toContain('lead  ollama/qwen3')
})

test('a server at another address, which the user has set, is believed', async () => {
  const chat = session([], { OLLAMA_BASE_URL: 'http://127.0.0.1:9' })
  expect(await textOf('/model ollama/any', chat)).toMatch(/^say: /)
})

test('what this machine has is offered with the way to use it, a long list cut short', async () => {
  const models = Array.from({ length: 8 }, (_, at) => `m${at + 1}`)
  const local = new LocalModels({}, async () => [OLLAMA, { ...OLLAMA, provider: 'vllm', name: 'vLLM', models }])
  await local.refresh()
  expect(local.offers()).toEqual([
    'Ollama runs here with qwen3, llama3.2: use it with /model ollama/qwen3 (or /model 1)',
    'vLLM runs here with m1, m2, m3, m4, m5 and 3 more (/model lists them): use it with /model vllm/m1 (or /model 3)',
  ])
  expect(local.names[2]).toBe('vllm/m1')
})

test('an unknown command gives a hint; a path is no command', async () => {
  expect(await textOf('/foo bar', session())).toBe('refuse: There is no command "/foo". /help lists them.')
  expect(await textOf('/usr/bin/env is what?', session())).toBe('no command')
  expect(await textOf('what is /help?', session())).toBe('no command')
  expect(await textOf('/exit', session())).toBe('exit')
})

test('/clear begins a new conversation; /threads lists them, /resume goes on with one', async () => {
  const model = new SessionModel(
    () => undefined,
    () => () => undefined,
  )
  const agent = remembering(new Agent({ id: 'a', model: scriptedModel([{ text: 'Hello' }]) }))
  const conversation = new Conversation(agent, model.choose)
  const chat = { conversation, model, localModels: new LocalModels({}, async () => []), flags: {} }
  expect(await textOf('/threads', chat)).toBe('say: There is no conversation with this agent yet.')
  const stream = await conversation.say('Hi', new AbortController().signal)
  await stream.result
  const first = conversation.threadId
  expect(await textOf('/threads', chat)).toMatch(/^say: {3}1 {2}\d{4}-\d{2}-\d{2} \d{2}:\d{2} {2}Hi {2}\(this one\)/)
  await textOf('/clear', chat)
  expect(conversation.threadId).not.toBe(first)
  expect(await textOf('/resume 1', chat)).toBe('say: › Hi\n\nHello')
  expect(conversation.threadId).toBe(first)
  expect(await textOf('/resume 7', chat)).toMatch(/^refuse: There is no conversation 7/)
})
