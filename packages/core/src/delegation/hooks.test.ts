import { describe, expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import type { InputMessage } from '../agent/index.ts'
import type { RunOptions } from '../agent/run-options.ts'
import type { Chunk } from '../events/chunk.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import type {
  DelegationCompleteContext,
  DelegationHookContext,
  DelegationOptions,
} from '../loop/delegation-settings.ts'
import { type ScriptedTurn, scriptedModels } from '../testing/scripted-model.ts'
import { createTool } from '../tools/create-tool.ts'

const ask = (...keys: string[]): ScriptedTurn => ({
  calls: keys.map((name) => ({ name, args: { prompt: `do ${name}` } })),
})

interface Team {
  lead?: ScriptedTurn[]
  one?: ScriptedTurn[]
  two?: ScriptedTurn[]
  options?: Partial<ConstructorParameters<typeof Agent>[0]>
}

function team({ lead, one = [{ text: 'fact one' }], two = [], options = {} }: Team) {
  const script = scriptedModels({ lead: lead ?? [ask('one'), { text: 'done' }], 'lead/one': one, 'lead/two': two })
  const child = (key: string) =>
    new Agent({
      id: `${key}-agent`,
      description: 'Works.',
      instructions: `I am ${key}.`,
      model: script.at(`lead/${key}`),
    })
  const agents = { one: child('one'), two: child('two') }
  return { script, agent: new Agent({ id: 'lead', model: script.at('lead'), agents, ...options }) }
}

async function run(parts: Team, delegation: DelegationOptions, options: RunOptions = {}) {
  const { script, agent } = team(parts)
  const stream = await agent.stream('Request', { ...options, delegation })
  const events: Chunk[] = []
  for await (const chunk of stream.events) events.push(chunk)
  const result = await stream.result
  return { script, events, result, envelope: result.toolResults[0]?.result as DelegationEnvelope }
}

describe('B3.1, B3.2 the order and the context of the hooks', () => {
  test('B3.1 start, filter, the child, complete; each may be async', async () => {
    const order: string[] = []
    const note = async (what: string) => {
      await Promise.resolve()
      order.push(what)
    }
    const one: ScriptedTurn[] = [
      () => {
        order.push('child')
        return { text: 'x' }
      },
    ]
    await run(
      { one },
      {
        onDelegationStart: () => note('start'),
        messageFilter: async ({ messages }) => {
          await note('filter')
          return messages
        },
        onDelegationComplete: () => note('complete'),
      },
    )
    expect(order).toEqual(['start', 'filter', 'child', 'complete'])
  })

  test('B3.2 every hook is told who, what, where and when', async () => {
    const seen: DelegationHookContext[] = []
    const keep = (context: DelegationHookContext) => void seen.push(context)
    const lead: ScriptedTurn[] = [ask('one'), ask('two'), { text: 'done' }]
    await run(
      { lead, two: [{ text: 'fact two' }] },
      {
        onDelegationStart: keep,
        messageFilter: (c) => {
          keep(c)
          return c.messages
        },
        onDelegationComplete: keep,
      },
      { runId: 'r' },
    )
    const of = (key: string, iteration: number) => ({
      primitiveId: `${key}-agent`,
      primitiveType: 'agent',
      key,
      prompt: `do ${key}`,
      iteration,
      runId: 'r',
      toolCallId: expect.any(String),
      parentAgentId: 'lead',
      path: ['lead'],
    })
    expect(seen).toHaveLength(6)
    for (const context of seen.slice(0, 3)) expect(context).toMatchObject(of('one', 1))
    for (const context of seen.slice(3)) expect(context).toMatchObject(of('two', 2))
    expect(seen[1]?.toolCallId).toBe(seen[0]?.toolCallId)
  })

  test('B3 a call’s hook replaces the default’s hook of that name, and leaves the others', async () => {
    const calls: string[] = []
    const hook = (name: string) => () => void calls.push(name)
    const options = {
      defaultOptions: {
        delegation: { onDelegationStart: hook('default start'), onDelegationComplete: hook('default complete') },
      },
    }
    const { agent } = team({ options })
    await agent.generate('Go', {
      delegation: { onDelegationStart: hook('call start'), onDelegationComplete: undefined as never },
    })
    expect(calls).toEqual(['call start', 'default complete'])
  })
})

describe('B3.3 onDelegationStart', () => {
  test('changes the prompt, the instructions and the bound on steps; the filter and the result see the changed prompt', async () => {
    const prompts: string[] = []
    const look = createTool({ id: 'look', execute: () => 'seen' })
    const script = scriptedModels({
      lead: [ask('one'), { text: 'done' }],
      'lead/one': [{ calls: [{ name: 'look', args: {} }] }],
    })
    const one = new Agent({
      id: 'one',
      description: 'Works.',
      instructions: 'Mine.',
      model: script.at('lead/one'),
      tools: { look },
    })
    const agent = new Agent({ id: 'lead', model: script.at('lead'), agents: { one } })
    const { toolResults } = await agent.generate('Request', {
      delegation: {
        onDelegationStart: ({ prompt }) => ({
          modifiedPrompt: `${prompt} now`,
          modifiedInstructions: 'Theirs.',
          modifiedMaxSteps: 1,
        }),
        messageFilter: ({ prompt, messages }) => {
          prompts.push(prompt)
          return messages
        },
        onDelegationComplete: ({ prompt }) => void prompts.push(prompt),
      },
    })
    expect(prompts).toEqual(['do one now', 'do one now'])
    expect(script.calls('lead/one')[0]?.text).toBe('system: Theirs.\nuser: Request\nuser: do one now')
    expect(toolResults[0]?.result).toMatchObject({ status: 'partial', finishReason: 'max-steps' })
  })

  test('only proceed: false rejects: the child is not called, the model reads the reason, complete does not run', async () => {
    let completed = 0
    const delegation: DelegationOptions = {
      onDelegationStart: () => ({ proceed: false, rejectionReason: 'Enough for today.' }),
      onDelegationComplete: () => void completed++,
    }
    const { script, envelope, events } = await run({ one: [] }, delegation)
    expect(envelope).toMatchObject({
      status: 'rejected',
      text: '',
      error: { code: 'delegation-rejected', message: 'Enough for today.' },
    })
    expect(script.calls('lead')[1]?.text).toContain('[one: rejected. Enough for today.]')
    expect(completed).toBe(0)
    expect(events.some(({ type }) => type === 'delegation-start')).toBe(false)
    script.assertDone()
  })

  test.each([undefined, null, {}, { proceed: true }, { proceed: undefined }])('%j goes on', async (decision) => {
    const { envelope } = await run({}, { onDelegationStart: () => decision as never })
    expect(envelope.status).toBe('completed')
  })

  test('what it sets on the request context is the child’s alone', async () => {
    const seen: unknown[] = []
    const peek = createTool({
      id: 'peek',
      execute: (_input, { requestContext }) => void seen.push(requestContext.get('audience')),
    })
    const script = scriptedModels({
      lead: [
        { calls: [{ name: 'one', args: { prompt: 'x' } }] },
        { calls: [{ name: 'peek', args: {} }] },
        { text: 'done' },
      ],
      'lead/one': [{ calls: [{ name: 'peek', args: {} }] }, { text: 'x' }],
    })
    const one = new Agent({ id: 'one', description: 'Works.', model: script.at('lead/one'), tools: { peek } })
    const agent = new Agent({ id: 'lead', model: script.at('lead'), tools: { peek }, agents: { one } })
    await agent.generate('Go', {
      delegation: { onDelegationStart: ({ requestContext }) => void requestContext.set('audience', 'experts') },
    })
    expect(seen).toEqual(['experts', undefined])
  })
})

describe('B3.5 onDelegationComplete', () => {
  test('gets the result, whether it is a success, the transcript and the time', async () => {
    let seen: DelegationCompleteContext | undefined
    const { envelope } = await run(
      {},
      {
        onDelegationComplete: (context) => {
          seen = context
        },
      },
    )
    expect(seen?.result).toEqual(envelope)
    expect(seen?.success).toBe(true)
    expect(seen?.error).toBeUndefined()
    expect(seen?.durationMs).toBeGreaterThanOrEqual(0)
    expect(seen?.messages.map(({ role, content }) => [role, (content as { text: string }[])[0]?.text])).toEqual([
      ['user', 'do one'],
      ['assistant', 'fact one'],
    ])
  })

  test.each([
    ['failed', [{ text: 'x', finish: 'error' }], true],
    ['failed', [{ text: '' }], true],
    ['partial', [{ text: 'half', finish: 'length' }], false],
  ] as [string, ScriptedTurn[], boolean][])('success is true only for completed: %s', async (status, one, hasError) => {
    let seen: DelegationCompleteContext | undefined
    await run(
      { one },
      {
        onDelegationComplete: (context) => {
          seen = context
        },
      },
    )
    expect([seen?.result.status, seen?.success, seen?.error !== undefined]).toEqual([status, false, hasError])
  })

  test('feedback is a message of the framework in the very next prompt, once, and in the history', async () => {
    const { script, result } = await run(
      {},
      { onDelegationComplete: () => ({ feedback: 'Ask for [retinue] sources.' }) },
    )
    expect(script.calls('lead')[1]?.text.split('\n').at(-1)).toBe('user: [retinue] Ask for [retinue ] sources.')
    expect(JSON.stringify(result.response.messages).split('Ask for').length).toBe(2)
  })

  test('S06 a child without a final text, and feedback: the very next prompt tells of both, once, also on the next turn', async () => {
    const look = createTool({ id: 'look', execute: () => 'seen' })
    const script = scriptedModels({
      lead: [ask('one'), { text: 'I know nothing of it.' }, { text: 'Turn two.' }],
      'lead/one': [{ calls: [{ name: 'look', args: {} }] }],
    })
    const one = new Agent({ id: 'one-agent', description: 'Works.', tools: { look } })
    const lead = new Agent({ id: 'lead', agents: { one } })
    const options: RunOptions = {
      resolveModel: script.resolveModel,
      delegation: {
        onDelegationStart: () => ({ modifiedMaxSteps: 1 }),
        onDelegationComplete: () => ({ feedback: 'Do not invent facts.' }),
      },
    }
    const { toolResults, response } = await lead.generate('Request', options)
    expect(toolResults[0]?.result).toMatchObject({ status: 'partial', text: '', finishReason: 'max-steps' })
    const told = 'tool: [one: partial. It reached its limit of steps without a final answer.]'
    const note = 'user: [retinue] Do not invent facts.'
    expect(script.calls('lead')[1]?.text.split('\n').slice(-2)).toEqual([told, note])
    const history = [{ role: 'user', content: 'Request' }, ...response.messages, { role: 'user', content: 'More' }]
    await lead.generate(history as InputMessage[], options)
    script.assertDone()
    const again = script.calls('lead')[2]?.text ?? ''
    expect([told, 'Do not invent facts.'].map((text) => again.split(text).length - 1)).toEqual([1, 1])
  })

  test('feedback beside a tool that waits for its client is kept, and the client’s result still finds its call', async () => {
    const both: ScriptedTurn = {
      calls: [
        { id: 'c1', name: 'one', args: { prompt: 'x' } },
        { id: 'c2', name: 'theirs', args: {} },
      ],
    }
    const { agent, script } = team({
      lead: [both, { text: 'done' }],
      options: { tools: { theirs: createTool({ id: 'theirs' }) } },
    })
    const { finishReason, response } = await agent.generate('Go', {
      delegation: { onDelegationComplete: () => ({ feedback: 'Ask again.' }) },
      onIterationComplete: () => ({ feedback: 'And again.' }),
    })
    expect(finishReason).toBe('tool-calls')
    const { text } = await agent.generate([
      { role: 'user', content: 'Go' },
      ...(response.messages as never[]),
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c2', toolName: 'theirs', output: { type: 'text', value: 'mine' } },
        ],
      },
    ])
    expect(text).toBe('done')
    expect(script.calls('lead')[1]?.prompt.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'user',
    ])
    expect(script.calls('lead')[1]?.text).toMatch(/mine[\s\S]*Ask again\.[\s\S]*And again\./)
  })

  test('resultText replaces what the model reads and changes no status', async () => {
    const { script, envelope } = await run({}, { onDelegationComplete: () => ({ resultText: 'redacted' }) })
    expect(script.calls('lead')[1]?.text).toContain('tool: redacted')
    expect(script.calls('lead')[1]?.text).not.toContain('fact one')
    expect(envelope).toMatchObject({ status: 'completed', text: 'fact one' })
  })

  test('it runs once for each delegation, also for two calls of one child', async () => {
    const seen: string[] = []
    const lead: ScriptedTurn[] = [ask('one', 'one', 'two'), { text: 'done' }]
    await run(
      { lead, one: [{ text: 'a' }, { text: 'b' }], two: [{ text: 'c' }] },
      { onDelegationComplete: ({ key }) => void seen.push(key) },
    )
    expect(seen.sort()).toEqual(['one', 'one', 'two'])
  })
})

describe('B3.6 bail', () => {
  test('ends the run with the delegation’s text: no model call follows', async () => {
    const { script, result, events } = await run({ lead: [ask('one')] }, { onDelegationComplete: ({ bail }) => bail() })
    expect([result.finishReason, result.text]).toEqual(['bailed', 'fact one'])
    expect(events.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'bailed' } } })
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(2)
    script.assertDone()
  })

  test('cancels its siblings at once, also one that never ends; their results say so', async () => {
    let signal: AbortSignal | undefined
    const hang: ScriptedTurn = ({ options }) => {
      signal = options.abortSignal
      return { after: new Promise(() => {}) }
    }
    const lead = [ask('one', 'two')]
    const { result } = await run(
      { lead, two: [hang] },
      { onDelegationComplete: ({ key, bail }) => void (key === 'one' && bail()) },
    )
    expect([result.finishReason, result.text]).toEqual(['bailed', 'fact one'])
    expect(result.toolResults.map(({ result: each }) => (each as DelegationEnvelope | undefined)?.status)).toEqual([
      'completed',
      'cancelled',
    ])
    expect(signal?.aborted).toBe(true)
  })

  test('is at once, also when its hook goes on; the first to bail wins, and its feedback is kept', async () => {
    const order: string[] = []
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const hang: ScriptedTurn = ({ options }) => {
      options.abortSignal?.addEventListener('abort', () => order.push('two aborted'))
      return { after: new Promise(() => {}) }
    }
    const { result } = await run(
      { lead: [ask('one', 'two')], two: [hang] },
      {
        onDelegationComplete: async ({ key, bail }) => {
          bail()
          order.push(`${key} bailed`)
          if (key === 'two') release()
          else await gate
          return { feedback: `from ${key}` }
        },
      },
    )
    expect(order).toEqual(['two aborted', 'one bailed', 'two bailed'])
    expect([result.finishReason, result.text]).toEqual(['bailed', 'fact one'])
    expect(JSON.stringify(result.response.messages)).toContain('from one')
  })

  test('a bail of a child ends the child alone, which is as its text', async () => {
    const script = scriptedModels({
      top: [{ calls: [{ name: 'lead', args: { prompt: 'go' } }] }, { text: 'done' }],
      lead: [ask('one')],
      one: [{ text: 'deep' }],
    })
    const one = new Agent({ id: 'one', description: 'Works.', model: script.at('one') })
    const defaultOptions: RunOptions = { delegation: { onDelegationComplete: ({ bail }) => bail() } }
    const lead = new Agent({
      id: 'lead',
      description: 'Leads.',
      model: script.at('lead'),
      agents: { one },
      defaultOptions,
    })
    const { text, toolResults } = await new Agent({ id: 'top', model: script.at('top'), agents: { lead } }).generate(
      'Go',
    )
    expect(text).toBe('done')
    expect(toolResults[0]?.result).toMatchObject({ status: 'completed', text: 'deep', finishReason: 'bailed' })
    script.assertDone()
  })

  test('of a delegation without text it is the status line; feedback is only kept', async () => {
    const { result } = await run(
      { lead: [ask('one')], one: [{ text: '' }] },
      {
        onDelegationComplete: ({ bail }) => {
          bail()
          return { feedback: 'Noted.' }
        },
      },
    )
    expect(result.text).toMatch(/^\[one: failed\./)
    expect(JSON.stringify(result.response.messages.at(-1))).toContain('Noted.')
  })
})

describe('B2.6 hooks look and do not rewrite', () => {
  test('the envelope, the path, the transcript and the conversation are frozen', async () => {
    const rewrite: ((context: DelegationCompleteContext) => void)[] = [
      ({ result }) => Object.assign(result, { status: 'failed' }),
      ({ result }) => (result.subAgentToolResults as unknown[]).push(1),
      ({ path }) => (path as string[]).push('x'),
      ({ messages }) => Object.assign(messages[1] as object, { content: [] }),
    ]
    for (const hook of rewrite) {
      const { envelope, events } = await run({}, { onDelegationComplete: hook })
      expect(envelope).toMatchObject({
        status: 'completed',
        text: 'fact one',
        hookErrors: [{ code: 'delegation-hook-failed' }],
      })
      expect(events.every(({ path }) => !path.includes('x'))).toBe(true)
    }
  })
})

describe('B3.7 a hook that fails', () => {
  const boom = () => {
    throw new Error('boom sk-secret1234567')
  }

  test.each(['onDelegationStart', 'messageFilter'])('%s keeps the child from running', async (name) => {
    const { script, envelope } = await run({ one: [] }, { [name]: boom })
    expect(envelope).toMatchObject({ status: 'failed', hookErrors: [{ message: expect.stringContaining('boom') }] })
    expect(script.calls('lead')[1]?.text).toContain('[one: failed.')
    expect(JSON.stringify([envelope, script.calls('lead')[1]?.text])).not.toContain('secret')
    script.assertDone()
  })

  test.each([
    5,
    'no',
    [],
    { proced: false },
    { proceed: 'false' },
    { modifiedMaxSteps: 0 },
    { modifiedMaxSteps: 1.5 },
    { modifiedPrompt: ' ' },
    { rejectionReason: 5 },
    new Map(),
    new Date(0),
  ])('nonsense of a start hook is a failure: %j', async (decision) => {
    const { envelope } = await run({ one: [] }, { onDelegationStart: () => decision as never })
    expect(envelope).toMatchObject({ status: 'failed', error: { code: 'delegation-hook-failed' } })
  })

  test.each([{ feedbak: 'x' }, { feedback: 5 }, 5])(
    'nonsense of a complete hook keeps the result, and is told: %j',
    async (review) => {
      const { envelope, events } = await run({}, { onDelegationComplete: () => review as never })
      expect(envelope).toMatchObject({
        status: 'completed',
        text: 'fact one',
        hookErrors: [{ code: 'delegation-hook-failed' }],
      })
      expect(events.find(({ type }) => type === 'error')).toMatchObject({
        path: ['lead'],
        payload: { error: { code: 'delegation-hook-failed' } },
      })
    },
  )

  test('under warn the run goes on, except that a filter that failed hands over nothing', async () => {
    const warn = { hookErrorStrategy: 'warn' } as const
    const start = await run({}, { ...warn, onDelegationStart: boom })
    expect(start.envelope).toMatchObject({ status: 'completed', hookErrors: [{ code: 'delegation-hook-failed' }] })
    const filter = await run({}, { ...warn, messageFilter: boom })
    expect(filter.envelope).toMatchObject({ status: 'completed', hookErrors: [{ code: 'message-filter-failed' }] })
    expect(filter.script.calls('lead/one')[0]?.text).toBe('system: I am one.\nuser: do one')
    const complete = await run({}, { ...warn, onDelegationComplete: boom })
    expect(complete.envelope.hookErrors).toHaveLength(1)
    expect(complete.events.some(({ type }) => type === 'error')).toBe(false)
  })

  test('a hook that hangs does not hold up an abort', async () => {
    for (const name of ['onDelegationStart', 'messageFilter', 'onDelegationComplete']) {
      const { agent } = team({})
      const stream = await agent.stream('Go', {
        delegation: {
          [name]: () => {
            queueMicrotask(() => stream.abort())
            return new Promise(() => {})
          },
        },
      })
      expect(await stream.finishReason).toBe('aborted')
    }
  })
})

test('B3.6 a bail that comes after its hook returned ends nothing', async () => {
  let late = (): void => {}
  const lead = [ask('one'), ask('one', 'two'), { text: 'done' }]
  const one: ScriptedTurn[] = [
    { text: 'a' },
    () => {
      late()
      return { text: 'b' }
    },
  ]
  const { result } = await run(
    { lead, one, two: [{ text: 'c' }] },
    {
      onDelegationComplete: ({ bail }) => {
        late = bail
      },
    },
  )
  const statuses = result.toolResults.map(({ result }) => (result as DelegationEnvelope).status)
  expect([statuses, result.finishReason]).toEqual([['completed', 'completed', 'completed'], 'stop'])
})

test('B3.7 the complete hook is shown the errors of those before it, as the application is', async () => {
  const seen: unknown[] = []
  const { envelope } = await run(
    {},
    {
      hookErrorStrategy: 'warn',
      messageFilter: () => {
        throw new Error('boom')
      },
      onDelegationComplete: ({ result }) => void seen.push(result.hookErrors),
    },
  )
  expect(envelope.hookErrors).toHaveLength(1)
  expect(seen).toEqual([envelope.hookErrors])
})

test('B3.3 a modified prompt stands in place of a typed input too', async () => {
  const seen: unknown[] = []
  const remote = {
    id: 'remote',
    description: 'd',
    inputSchema: { type: 'object', properties: { q: { type: 'string' } } } as const,
    runDelegated: async ({ prompt, input }: { prompt: string; input: unknown }) => {
      seen.push(prompt, input)
      return { text: 'x', finishReason: 'stop' } as never
    },
  }
  const script = scriptedModels({ lead: [{ calls: [{ name: 'remote', args: { q: 'SECRET' } }] }, { text: 'done' }] })
  await new Agent({ id: 'lead', agents: { remote } }).generate('Go', {
    resolveModel: script.resolveModel,
    delegation: { onDelegationStart: () => ({ modifiedPrompt: 'cleaned' }) },
  })
  expect(seen).toEqual(['cleaned', undefined])
})
