import { expect, test } from 'vitest'
import { z } from 'zod'
import { RequestContext } from '../context/request-context.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { Instructions } from '../messages/instructions.ts'
import { scriptedModel } from '../testing/index.ts'
import { createTool } from '../tools/create-tool.ts'
import { Agent } from './agent.ts'
import type { AgentOptions, Dynamic } from './agent-config.ts'

/** The code of the error that `action` throws or rejects with. */
async function codeOf(action: () => unknown): Promise<string> {
  try {
    await action()
  } catch (error) {
    return isRetinueError(error) ? error.code : `untyped: ${String(error)}`
  }
  return 'no error'
}

const echo = createTool({ id: 'echo', description: 'Echoes.', execute: (input) => input })

async function systemOf(instructions: Dynamic<Instructions>): Promise<unknown[]> {
  const model = scriptedModel([{ text: 'hi' }])
  await new Agent({ id: 'a', model, instructions }).generate('hello')
  return (model.calls[0]?.prompt ?? []).filter(({ role }) => role === 'system')
}

test('B1.1 instructions are a text, a list, or system messages with provider options', async () => {
  const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } }
  expect(await systemOf('Be brief.')).toEqual([{ role: 'system', content: 'Be brief.' }])
  expect(await systemOf(['One.', 'Two.'])).toEqual([{ role: 'system', content: 'One.\n\nTwo.' }])
  expect(await systemOf({ role: 'system', content: 'Three.' })).toEqual([{ role: 'system', content: 'Three.' }])
  expect(await systemOf(['One.', { content: 'Cached.', providerOptions: cached }, 'Two.', '  '])).toEqual([
    { role: 'system', content: 'One.' },
    { role: 'system', content: 'Cached.', providerOptions: cached },
    { role: 'system', content: 'Two.' },
  ])
})

test('B1.1 instructions of a wrong form are a typed error', async () => {
  for (const wrong of [5, null, [null], { role: 'user', content: 'x' }, [{ text: 'x' }]]) {
    const agent = new Agent({ id: 'a', model: scriptedModel([]), instructions: wrong as never })
    expect(await codeOf(() => agent.generate('hello'))).toBe('instructions-invalid')
  }
})

test('B1.1 instructions, model, tools, agents and defaultOptions may be functions of the request context, sync or async', async () => {
  for (const wrap of [<T>(value: T) => value, <T>(value: T) => Promise.resolve(value)]) {
    const model = scriptedModel([{ calls: [{ name: 'acme_tool', args: {} }] }, { text: 'done' }])
    const seen: unknown[] = []
    const of = <T>(make: (tenant: string) => T): Dynamic<T> =>
      (({ requestContext }: { requestContext: { get(key: string): unknown } }) => {
        seen.push(requestContext.get('tenant'))
        return wrap(make(String(requestContext.get('tenant'))))
      }) as Dynamic<T>
    const agent = new Agent({
      id: 'a',
      instructions: of((tenant) => `You serve ${tenant}.`),
      model: of(() => model),
      tools: of((tenant) => ({ [`${tenant}_tool`]: echo })),
      agents: of((tenant) => ({ [`${tenant}_agent`]: new Agent({ id: 'child', description: 'c' }) })),
      defaultOptions: of(() => ({ modelSettings: { temperature: 0.3 } })),
    })
    const result = await agent.generate('hello', { requestContext: new RequestContext([['tenant', 'acme']]) })
    expect(result.text).toBe('done')
    expect(seen).toEqual(['acme', 'acme', 'acme', 'acme', 'acme'])
    expect(model.calls[0]?.text).toContain('You serve acme.')
    expect(model.calls[0]?.tools).toEqual(['acme_tool', 'acme_agent'])
    expect(model.calls[0]?.options.temperature).toBe(0.3)
  }
})

test('B1.1 a function that throws is a typed error with the thrown one as its cause', async () => {
  const cause = new Error('the database is down')
  const fail = () => {
    throw cause
  }
  for (const key of ['instructions', 'model', 'tools', 'agents', 'defaultOptions'] as const) {
    const agent = new Agent({ id: 'a', model: scriptedModel([]), [key]: fail })
    for (const run of [() => agent.generate('hello'), () => agent.stream('hello')]) {
      const error: unknown = await run().catch((thrown: unknown) => thrown)
      expect(isRetinueError(error, 'agent-invalid') && error.cause, key).toBe(cause)
    }
  }
})

test('B1.1 a missing model is a typed error when the agent runs, not before', async () => {
  for (const model of [undefined, []]) {
    const agent = new Agent({ id: 'a', ...(model ? { model } : {}) })
    expect(await codeOf(() => agent.generate('hello'))).toBe('model-missing')
    expect(await codeOf(() => agent.stream('hello'))).toBe('model-missing')
  }
  const wrong = new Agent({ id: 'a', model: { specificationVersion: 'v1' } as never })
  expect(await codeOf(() => wrong.generate('hello'))).toBe('model-invalid')
  expect(await codeOf(() => new Agent({ id: 'a', model: null as never }).generate('hello'))).toBe('model-invalid')
})

test('B1.2 a model name without its key is an error that names the variable', async () => {
  const before = process.env['OPENAI_API_KEY']
  delete process.env['OPENAI_API_KEY']
  try {
    const run = new Agent({ id: 'a', model: 'openai/gpt-5.5' }).generate('hello')
    await expect(run).rejects.toThrow(/OPENAI_API_KEY/)
    const result = await (await new Agent({ id: 'a', model: 'openai/gpt-5.5' }).stream('hello')).result
    // No model was called, so no call is counted.
    expect([result.error?.code, result.usage.calls]).toEqual(['model-key-missing', 0])
  } finally {
    if (before !== undefined) process.env['OPENAI_API_KEY'] = before
  }
})

test('B1.2 the model that answers is told, and why it is not the declared one', async () => {
  const model = scriptedModel([{ text: 'hi' }], 'stand-in')
  const agent = new Agent({ id: 'a', model: 'openai/gpt-5.5' })
  const stream = await agent.stream('hello', { resolveModel: () => ({ use: model, why: 'no key' }) })
  const use = { requested: 'openai/gpt-5.5', used: 'scripted/stand-in', why: 'no key' }
  expect((await stream.steps)[0]?.model).toEqual(use)
  for await (const chunk of stream.events) if (chunk.type === 'step-start') expect(chunk.payload.model).toEqual(use)
})

test('B1.5 S20 tool names and keys match the pattern, or the agent is not made', async () => {
  const child = new Agent({ id: 'child', description: 'c' })
  for (const name of ['my tool!', 'выборка', 'a'.repeat(65), 'a'.repeat(100), '', '__proto__', 'a.b']) {
    for (const options of [{ tools: { [name]: echo } }, { agents: { [name]: child } }]) {
      expect(await codeOf(() => new Agent({ id: 'a', ...options })), name).toBe('name-invalid')
    }
    const workspace = { id: 'w', tools: { [name]: echo } }
    expect(await codeOf(() => new Agent({ id: 'a', workspace })), name).toBe('name-invalid')
  }
  expect(new Agent({ id: 'a', tools: { ['x'.repeat(64)]: echo, 'A-b_9': echo } }).id).toBe('a')
})

test('B1.5 S20 the error names agent, name and rule, and no model is asked where names are found out in a run', async () => {
  const model = scriptedModel([])
  const named = new Agent({ id: 'sup', model, tools: () => ({ 'my tool!': echo }) })
  await expect(named.generate('go')).rejects.toMatchObject({
    code: 'name-invalid',
    message: 'The agent "sup" has a tool whose key "my tool!" can\'t be used as a name.',
    hint: 'Use 1 to 64 letters, digits, _ and - (not __proto__).',
  })
  const agents = { look: new Agent({ id: 'child', description: 'c' }) }
  const twice = new Agent({ id: 'sup', model, tools: () => ({ look: echo }), agents })
  await expect(twice.generate('go')).rejects.toMatchObject({
    code: 'name-collision',
    message: 'The agent "sup" has two tools called "look"; the second is a subagent.',
  })
  expect(model.calls).toEqual([])
})

test('B1.5 S20 a key of agents that is also a tool key, a built-in one too, is an error when the agent is made', async () => {
  const agents = { search: new Agent({ id: 'child', description: 'c' }) }
  expect(await codeOf(() => new Agent({ id: 'a', tools: { search: echo }, agents }))).toBe('name-collision')
  const workspace = { id: 'w', tools: { search: echo } }
  expect(await codeOf(() => new Agent({ id: 'a', workspace, agents }))).toBe('name-collision')
  expect(await codeOf(() => new Agent({ id: 'a', workspace, tools: { search: echo } }))).toBe('name-collision')
  const dynamic = new Agent({ id: 'a', model: scriptedModel([]), tools: () => ({ search: echo }), agents })
  expect(await codeOf(() => dynamic.generate('hello'))).toBe('name-collision')
})

test('B1.5 names of Object.prototype are names like others', async () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf']
  const model = scriptedModel([{ calls: names.map((name) => ({ name, args: { name } })) }, { text: 'done' }])
  const result = await new Agent({
    id: 'a',
    model,
    tools: Object.fromEntries(names.map((name) => [name, echo])),
  }).generate('go')
  expect(result.toolResults.map(({ result: value }) => value)).toEqual(names.map((name) => ({ name })))
})

test('B1.5 a name of Object.prototype that no tool has is unknown', async () => {
  const model = scriptedModel([{ calls: [{ name: 'constructor', args: {} }] }, { text: 'done' }])
  const result = await new Agent({ id: 'a', model, tools: { echo } }).generate('go')
  expect(result.toolResults[0]?.error?.code).toBe('tool-unknown')
})

test('B1.5 a tool that was written under __proto__ is an error, not silently nothing', async () => {
  expect(await codeOf(() => new Agent({ id: 'a', tools: { __proto__: echo } as never }))).toBe('name-invalid')
  const agents = { __proto__: new Agent({ id: 'child', description: 'c' }) } as never
  expect(await codeOf(() => new Agent({ id: 'a', agents }))).toBe('name-invalid')
})

test('B1.5 what is no tool or no agent is a typed error that names the key', async () => {
  expect(await codeOf(() => new Agent({ id: 'a', tools: { x: { execute: 5 } as never } }))).toBe('tool-invalid')
  expect(await codeOf(() => new Agent({ id: 'a', workspace: { id: 'w', tools: { x: {} as never } } }))).toBe(
    'tool-invalid',
  )
  expect(await codeOf(() => new Agent({ id: 'a', agents: { x: { id: 'x' } as never } }))).toBe('agent-invalid')
  expect(await codeOf(() => new Agent({ id: 'a', tools: [echo] as never }))).toBe('agent-invalid')
})

test('B1.1 options that are not known, or of a wrong kind, are typed errors', async () => {
  const wrong: [unknown, string][] = [
    [undefined, 'agent-invalid'],
    [{}, 'agent-invalid'],
    [{ id: ' ' }, 'agent-invalid'],
    [{ id: 'a', description: 5 }, 'agent-invalid'],
    [{ id: 'a', maxDepth: -1 }, 'agent-invalid'],
    [{ id: 'a', maxRetries: 'many' }, 'agent-invalid'],
    [{ id: 'a', subagents: {} }, 'option-unknown'],
    [{ id: 'a', outputSchema: z.object({ at: z.date() }) }, 'schema-unsupported'],
  ]
  for (const [options, code] of wrong) expect(await codeOf(() => new Agent(options as AgentOptions))).toBe(code)
})

test('B1.6 options of a run that are not known, or of a wrong kind, are typed errors before anything runs', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel([]) })
  const wrong: [unknown, string][] = [
    ['fast', 'option-invalid'],
    [[], 'option-invalid'],
    [{ maxStep: 3 }, 'option-unknown'],
    [{ delegation: { filter: 1 } }, 'option-unknown'],
    [{ delegation: { messageFilter: 1 } }, 'option-invalid'],
    [{ maxSteps: 0 }, 'option-invalid'],
    [{ maxSteps: 1.5 }, 'option-invalid'],
    [{ maxSteps: Number.NaN }, 'option-invalid'],
    [{ maxRetries: -1 }, 'option-invalid'],
    [{ toolCallConcurrency: 0 }, 'option-invalid'],
    [{ runId: '' }, 'option-invalid'],
    [{ requestContext: {} }, 'option-invalid'],
    [{ requestContext: new Map() }, 'no error'],
    [{ abortSignal: {} }, 'option-invalid'],
    [{ toolChoice: 'always' }, 'option-invalid'],
    [{ headers: 'x' }, 'option-invalid'],
    [{ modelSettings: [] }, 'option-invalid'],
    [{ resolveModel: 'openai/x' }, 'option-invalid'],
  ]
  for (const [options, code] of wrong) {
    const run = code === 'no error' ? new Agent({ id: 'a', model: scriptedModel([{ text: 'hi' }]) }) : agent
    expect(await codeOf(() => run.generate('hello', options as never)), JSON.stringify(options)).toBe(code)
  }
})

test('B1.6 default options that make no run make no agent; what a function gives is looked at in each run', async () => {
  const make = (options: object): Agent => new Agent({ id: 'a', model: scriptedModel([]), defaultOptions: options })
  const wrong: [object, string, string][] = [
    [{ maxStep: 1 }, 'option-unknown', 'The defaultOptions of the agent "a": These options are not known: maxStep.'],
    [{ timeout: { totalMs: -1 } }, 'option-invalid', 'The option timeout.totalMs is -1.'],
    [{ isTaskComplete: { scorers: [] } }, 'option-invalid', 'isTaskComplete'],
    [{ delegation: { onDelegationStrt() {} } }, 'option-unknown', 'delegation.onDelegationStrt'],
  ]
  for (const [options, code, message] of wrong) {
    const error = { code, message: expect.stringContaining(message) }
    expect(() => make(options), JSON.stringify(options)).toThrow(expect.objectContaining(error))
    expect(await codeOf(() => make(() => options).generate('hello')), JSON.stringify(options)).toBe(code)
  }
  expect(() => make([])).toThrow(expect.objectContaining({ code: 'agent-invalid' }))
})

test('B1.6 options of the call win over the defaults, delegation options one by one', async () => {
  const model = scriptedModel([{ text: 'hi' }])
  const agent = new Agent({
    id: 'a',
    model,
    defaultOptions: { modelSettings: { temperature: 1 }, headers: { 'x-a': '1' }, toolChoice: 'none' },
    tools: { echo },
  })
  await agent.generate('hello', { modelSettings: { seed: 4 }, providerOptions: { x: { y: 1 } } })
  const { temperature, seed, headers, providerOptions, toolChoice } = model.calls[0]?.options ?? {}
  expect({ temperature, seed, headers, providerOptions, toolChoice }).toEqual({
    temperature: undefined,
    seed: 4,
    headers: { 'x-a': '1' },
    providerOptions: { x: { y: 1 } },
    toolChoice: { type: 'none' },
  })
})
