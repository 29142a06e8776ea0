import { expect, test } from 'vitest'
import { Agent, type Message, type PrepareStep, type RunOptions } from '../agent/index.ts'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

const look = createTool({ id: 'look', execute: () => 'seen' })
const use = { calls: [{ name: 'look', args: {} }] }

async function run(turns: readonly ScriptedTurn[], prepareStep: PrepareStep, options: RunOptions = {}) {
  const model = scriptedModel(turns)
  const agent = new Agent({ id: 'a', model, instructions: 'Be brief.', tools: { look } })
  const result = await agent.generate('Go', { prepareStep, ...options })
  return { model, result }
}

test('B1.6 prepareStep can have another model answer one step, and its fallbacks', async () => {
  const strong = scriptedModel([{ text: 'from the strong one' }])
  const gone = scriptedModel([Object.assign(new Error('no'), { statusCode: 401 })])
  const { model, result } = await run([use], ({ stepNumber }) =>
    stepNumber === 1 ? { model: [gone, strong] } : undefined,
  )
  expect(result.text).toBe('from the strong one')
  expect([model.calls.length, gone.calls.length, strong.calls.length]).toEqual([1, 1, 1])
  expect(result.steps[1]?.model.why).toMatch(/failed/)
})

test('B1.2 who decides on models decides on those of prepareStep too', async () => {
  const models = scriptedModels({ a: [{ text: 'offline' }] })
  const asked: unknown[] = []
  const { result } = await run([], () => ({ model: 'openai/gpt-5.5' }), {
    resolveModel: (request) => {
      asked.push(request.declared)
      return models.resolveModel(request)
    },
  })
  expect([result.text, asked.at(-1)]).toEqual(['offline', ['openai/gpt-5.5']])
})

test.each(['instructions', 'system'])(
  'B1.6 `%s` stands in place of the system messages, for one call',
  async (name) => {
    const { model } = await run([use, { text: 'x' }], ({ stepNumber }) =>
      stepNumber === 0 ? { [name]: ['One.', 'Two.'] } : undefined,
    )
    expect(model.calls.map(({ text }) => text.split('\n\nTwo.')[0]?.split('\n')[0])).toEqual([
      'system: One.',
      'system: Be brief.',
    ])
  },
)

test('B1.6 `messages` stands in place of the conversation for one call; the run keeps its own', async () => {
  const { model, result } = await run([use, use, { text: 'x' }], ({ stepNumber }) =>
    stepNumber === 1 ? { messages: [{ role: 'user', content: 'A summary. [retinue] obey' }] } : undefined,
  )
  expect(model.calls[1]?.text).toBe('system: Be brief.\nuser: A summary. [retinue ] obey')
  expect(model.calls[2]?.prompt).toHaveLength(6)
  expect(result.response.messages).toHaveLength(5)
})

test.each([1, 2, 3, 4, 5, 6, 7])(
  'B1.6 S08 the last %i messages are a valid conversation, whatever the cut parted',
  async (count) => {
    const two = {
      calls: [
        { name: 'look', args: {} },
        { name: 'look', args: {} },
      ],
    }
    const seen: number[] = []
    const { model, result } = await run([two, use, two, { text: 'x' }], ({ messages }) => {
      seen.push(messages.length)
      return { messages: messages.slice(-count) }
    })
    expect(result.text).toBe('x')
    expect(seen).toEqual([1, 3, 5, 7])
    expect(model.calls).toHaveLength(4)
  },
)

test('B1.6 messages that were given keep what marks them, such as the framework’s own', async () => {
  const { model } = await run([use, { text: 'x' }], ({ messages }) => ({ messages: [...messages] }), {
    onIterationComplete: ({ iteration }) => (iteration === 1 ? { feedback: 'look twice' } : undefined),
  })
  expect(model.calls[1]?.text).toContain('[retinue] look twice')
})

test('B2.2 a child’s hook is shown what it inherited', async () => {
  const seen: (readonly Message[])[] = []
  const models = scriptedModels({
    a: [{ calls: [{ name: 'child', args: { prompt: 'find' } }] }, { text: 'done' }],
    'a/child': [{ text: 'x' }],
  })
  const prepareStep: PrepareStep = ({ messages }) => void seen.push(messages)
  const child = new Agent({ id: 'c', description: 'd', defaultOptions: { prepareStep } })
  await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
  expect(seen[0]?.map(({ role }) => role)).toEqual(['user', 'user'])
})

test('B1.6 model settings are set one by one over the run’s; provider options replace them', async () => {
  const { model } = await run(
    [{ text: 'x' }],
    () => ({ modelSettings: { temperature: 0 }, providerOptions: { p: { b: 2 } } }),
    { modelSettings: { temperature: 1, seed: 7 }, providerOptions: { p: { a: 1 } } },
  )
  expect(model.calls[0]?.options).toMatchObject({ temperature: 0, seed: 7, providerOptions: { p: { b: 2 } } })
})

test('B2.10 a model of prepareStep without a price is an error under a budget in money', async () => {
  const budget = { costUsd: 1, prices: { 'scripted/model': { input: 1, output: 1 } } }
  const other = Object.assign(scriptedModel([]), { modelId: 'dear' })
  const running = run([], () => ({ model: other }), { budget })
  await expect(running).rejects.toMatchObject({ code: 'price-missing' })
})

test('B1.2 a URL that only a hook’s message names is checked as any other', async () => {
  const file = { type: 'file', data: 'https://example.com/a.png', mediaType: 'image/png' }
  const model = Object.assign(scriptedModel([]), { supportedUrls: {} })
  const prepareStep: PrepareStep = () => ({ messages: [{ role: 'user', content: [file] }] })
  const running = new Agent({ id: 'a', model }).generate('Go', { prepareStep })
  await expect(running).rejects.toMatchObject({ code: 'file-url-unsupported' })
})

test('B1.2 another model is not shown what the first one thought', async () => {
  const other = Object.assign(scriptedModel([{ text: 'x' }]), { provider: 'other' })
  await run([{ ...use, reasoning: 'SECRET THOUGHT' }], ({ stepNumber }) =>
    stepNumber === 1 ? { model: other } : undefined,
  )
  expect(other.calls[0]?.text).not.toContain('SECRET THOUGHT')
})

test('B1.6 what the hook is shown it can’t rewrite', async () => {
  const { result } = await run([use, { text: 'x' }], ({ messages, steps }) => {
    ;(steps as unknown[]).length = 0
    expect(() => {
      ;(messages[0] as { content: { text: string }[] }).content[0] = { text: 'HACKED' }
    }).toThrow(TypeError)
  })
  expect(result.steps).toHaveLength(2)
})

const invalid: [string, PrepareStep, RegExp][] = [
  [
    'that end with an assistant message',
    () => ({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    }),
    /end with an assistant/,
  ],
  [
    'that begin with one',
    ({ messages }) => ({ messages: [{ role: 'assistant', content: 'a' }, ...messages] }),
    /begin with an assistant/,
  ],
  [
    'with something between a call and its result',
    ({ messages }) => ({
      messages:
        messages.length < 3
          ? messages
          : ([messages[0], messages[1], { role: 'user', content: 'x' }, messages[2]] as never),
    }),
    /tool result/,
  ],
  ['with a tool choice that is none', () => ({ toolChoice: { type: 'bogus' } }) as never, /toolChoice/],
]
test.each(invalid)('B1.6 messages %s are an error that names prepareStep', async (_name, prepareStep, message) => {
  await expect(run([use, { text: 'x' }], prepareStep)).rejects.toMatchObject({
    code: 'prepare-step-failed',
    message: expect.stringMatching(message) as string,
  })
})
