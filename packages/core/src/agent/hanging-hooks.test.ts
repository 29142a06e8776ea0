import { describe, expect, test } from 'vitest'
import { scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'
import { Agent, type AgentOptions, type RunOptions } from './index.ts'

const never = <T>(): Promise<T> => new Promise(() => {})
/** Says that it hangs, and hangs. */
const hang = <T = never>(hung: () => void): Promise<T> => {
  hung()
  return never<T>()
}
const look = createTool({ id: 'look', execute: () => 'seen' })
const use = { calls: [{ name: 'look', args: {} }] }
const schema = {
  '~standard': {
    version: 1,
    vendor: 'x',
    validate: () => never<never>(),
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
}

/** Everything of an application's own that a run waits for. Each hangs, and ends what waits for it by an abort. */
const hanging: [string, (hung: () => void) => { options?: RunOptions; config?: Partial<AgentOptions> }][] = [
  ['stopWhen', (hung) => ({ options: { stopWhen: () => hang<boolean>(hung) } })],
  ['prepareStep', (hung) => ({ options: { prepareStep: () => hang<undefined>(hung) } })],
  [
    'a schema',
    (hung) => ({
      options: {
        structuredOutput: {
          schema: { '~standard': { ...schema['~standard'], validate: () => hang(hung) } } as never,
        },
      },
    }),
  ],
  [
    'resolveModel of prepareStep',
    (hung) => {
      let asked = 0
      const model = scriptedModel([use])
      return {
        options: {
          prepareStep: () => ({ model: 'x/y' }),
          resolveModel: () => (asked++ === 0 ? model : hang<never>(hung)),
        },
      }
    },
  ],
  ['defaultOptions', (hung) => ({ config: { defaultOptions: () => hang<RunOptions>(hung) } })],
  ['onIterationComplete', (hung) => ({ options: { onIterationComplete: () => hang<undefined>(hung) } })],
  [
    'an input processor',
    (hung) => ({ config: { inputProcessors: [{ id: 'p', processInput: () => hang<undefined>(hung) }] } }),
  ],
  [
    'an output processor',
    (hung) => ({
      config: { outputProcessors: [{ id: 'p', processOutputResult: () => hang<undefined>(hung) }] },
    }),
  ],
  [
    'a memory',
    (hung) => ({
      config: {
        memory: { within: () => ({ storage: {}, open: () => hang(hung) }), open: () => never() } as never,
      },
      options: { memory: { thread: 't', resource: 'r' } },
    }),
  ],
]

describe('B7.7 an abort waits for nothing of the application', () => {
  test.each(hanging)('%s that hangs', async (_name, make) => {
    const controller = new AbortController()
    const { options = {}, config = {} } = make(() => queueMicrotask(() => controller.abort()))
    const agent = new Agent({ id: 'a', model: scriptedModel([use, { text: '{}' }]), tools: { look }, ...config })
    const { finishReason } = await agent.generate('Go', { abortSignal: controller.signal, ...options })
    expect(finishReason).toBe('aborted')
  })

  test('in a child, under an abort of its root', async () => {
    const controller = new AbortController()
    const models = scriptedModels({ a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }], 'a/child': [use] })
    const stopWhen = () => {
      queueMicrotask(() => controller.abort())
      return never<boolean>()
    }
    const child = new Agent({ id: 'c', description: 'd', tools: { look }, defaultOptions: { stopWhen } })
    const running = new Agent({ id: 'a', agents: { child } }).generate('Go', {
      resolveModel: models.resolveModel,
      abortSignal: controller.signal,
    })
    expect((await running).finishReason).toBe('aborted')
  })
})

describe('B1.10 a run that was told to stop', () => {
  test.each<[string, RunOptions]>([
    ['stopWhen', { stopWhen: () => true }],
    ['{ continue: false }', { onIterationComplete: () => ({ continue: false }) }],
  ])('by %s has no error, though its last step said nothing', async (_name, options) => {
    const agent = new Agent({ id: 'a', model: scriptedModel([use]), tools: { look } })
    const stream = await agent.stream('Go', options)
    const types: string[] = []
    for await (const { type } of stream.events) types.push(type)
    expect(await stream.result).toMatchObject({ finishReason: 'stop', text: '', error: undefined })
    expect(types).not.toContain('error')
  })

  test('a stopWhen that throws ends it with an error that names it, whose words no model reads', async () => {
    const stopWhen = () => {
      throw new Error('postgres://admin:hunter2@db failed')
    }
    const agent = new Agent({ id: 'a', model: scriptedModel([use]), tools: { look } })
    await expect(agent.generate('Go', { stopWhen })).rejects.toMatchObject({
      code: 'hook-failed',
      message: expect.stringContaining('stopWhen') as string,
    })
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }],
      'a/child': [use],
    })
    const child = new Agent({ id: 'c', description: 'd', tools: { look }, defaultOptions: { stopWhen } })
    await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
    expect(models.calls('a')[1]?.text).toContain('[child: failed. A hook of the application failed.]')
  })
})

test('B12.2 whatever of the application threw in a child, the parent’s model reads none of its words', async () => {
  const boom = () => {
    throw new Error('hunter2')
  }
  const broken: Partial<AgentOptions>[] = [
    { defaultOptions: { prepareStep: boom } },
    { defaultOptions: { isTaskComplete: { scorers: [{ id: 's', run: boom }], onScorerError: 'throw' } } },
    { defaultOptions: { isTaskComplete: { scorers: [{ id: 's', run: boom }] } } },
    { defaultOptions: boom },
    { instructions: boom },
    { inputProcessors: boom },
    { memory: boom },
    { inputProcessors: [{ id: 'p', processInput: boom }] },
  ]
  for (const config of broken) {
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }],
      'a/child': [{ text: 'x' }],
    })
    const child = new Agent({ id: 'c', description: 'd', ...config })
    await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
    const read = models.calls('a')[1]?.text
    expect(read, Object.keys(config).join()).toMatch(/\[child: (failed|partial)\. /)
    expect(read).not.toContain('hunter2')
  }
})
