import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ask, eventsOf, statesOf, team, times } from '../../test-support/background-team.ts'
import { Agent } from '../agent/index.ts'
import { Retinue } from '../retinue.ts'
import { scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

const script = () => ({
  sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
  'sup/a': [{ text: 'ZEBRA' }],
})

describe('B9.1 what runs in the background', () => {
  test.each([
    ['the application turns it off', { backgroundTasks: { enabled: false } }],
    ['the application does not say', { backgroundTasks: {} }],
    ['the agent does not name it', { sup: { backgroundTasks: { tools: {} } } }],
    ['the agent says no', { sup: { backgroundTasks: { tools: { a: false } } } }],
    ['the agent says so in full', { sup: { backgroundTasks: { tools: { a: { enabled: false } } } } }],
  ])('nothing, where %s: the call is run in the foreground', async (_why, options) => {
    const { sup, models } = team(
      { sup: [{ calls: [ask('a')] }, { text: 'one' }], 'sup/a': [{ text: 'ZEBRA' }] },
      options,
    )
    const stream = await sup.stream('Go')
    const events = await eventsOf(stream)
    expect(await stream.text).toBe('one')
    expect(statesOf(events)).toEqual([])
    expect(times(models.calls('sup')[1], 'ZEBRA')).toBe(1)
    models.assertDone()
  })

  test.each([[true], [{}], [{ enabled: true }]])('a subagent that the agent names: %j', async (setting) => {
    const { sup, models } = team(script(), { sup: { backgroundTasks: { tools: { a: setting } } } })
    expect((await sup.generate('Go', { untilIdle: true })).text).toBe('one\n\ntwo')
    models.assertDone()
  })

  test('without a thread a run with tasks stays open, whether it is told to or not', async () => {
    const { sup } = team(script())
    expect((await sup.generate('Go')).text).toBe('one\n\ntwo')
  })

  test('a name that no tool and no subagent has is an error', async () => {
    const { sup } = team(script(), { sup: { backgroundTasks: { tools: { typo: true } } } })
    await expect(sup.generate('Go')).rejects.toMatchObject({ code: 'agent-invalid', hint: 'It has a.' })
  })

  test('a tool that the client runs can’t: that it is named is an error, and so is one that says so itself', async () => {
    const pick = createTool({ id: 'pick', description: 'Lets a person pick.' })
    for (const setting of [true, { enabled: true }]) {
      const { sup } = team(script(), { sup: { tools: { pick }, backgroundTasks: { tools: { pick: setting } } } })
      await expect(sup.generate('Go')).rejects.toMatchObject({ code: 'agent-invalid', data: { clients: ['pick'] } })
    }
    for (const off of [false, { enabled: false }]) {
      const { sup } = team(script(), { sup: { tools: { pick }, backgroundTasks: { tools: { a: true, pick: off } } } })
      expect((await sup.generate('Go', { untilIdle: true })).text).toBe('one\n\ntwo')
      expect(createTool({ id: 'pick', background: off })).toMatchObject({ background: off })
    }
    for (const background of [true, {}, { timeoutMs: 5 }])
      expect(() => createTool({ id: 'pick', background })).toThrow(expect.objectContaining({ code: 'tool-invalid' }))
  })

  test.each([
    ['no object', 5],
    ['an option that is not known', { tool: {} }],
    ['no tools', { tools: 5 }],
    ['a setting that is none', { tools: { a: 5 } }],
    ['a setting with an unknown option', { tools: { a: { timeout: 5 } } }],
    ['a time that is none', { tools: { a: { timeoutMs: 0 } } }],
    ['retries that are none', { tools: { a: { maxRetries: -1 } } }],
    ['nobody to ask', { tools: { a: { ask: 'nobody' } } }],
    ['a flag that is none', { tools: { a: { detached: 'yes' } } }],
  ])('an agent with %s is refused when it is made', (_what, backgroundTasks) => {
    const make = () => new Agent({ id: 'x', model: scriptedModel([]), backgroundTasks: backgroundTasks as never })
    expect(make).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(agent-invalid|option-unknown)$/) }) as Error,
    )
  })

  test.each([
    ['no object', true],
    ['an option that is not known', { concurrency: 5 }],
    ['a limit that is none', { globalConcurrency: 0 }],
    ['another limit that is none', { perAgentConcurrency: 1.5 }],
    ['no way to keep a limit', { onLimit: 'wait' }],
  ])('an application with %s is refused', (_what, backgroundTasks) => {
    const agents = { sup: new Agent({ id: 'sup', model: scriptedModel([]) }) }
    const make = () => new Retinue({ agents, backgroundTasks: backgroundTasks as never })
    expect(make).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(application-invalid|option-unknown)$/) }) as Error,
    )
  })
})

describe('B9.1 a subagent that its parent does not name', () => {
  const models = (child: 'waits' | 'plain') =>
    scriptedModels({
      sup: [{ calls: [ask('mid')] }, { text: 'one' }, { text: 'two' }],
      'sup/mid':
        child === 'waits' ? [{ calls: [ask('leaf')] }, { text: 'not yet' }, { text: 'MID' }] : [{ text: 'MID' }],
      'sup/mid/leaf': [{ text: 'LEAF' }],
    })

  test('is run in the background where it has such tools of its own, and their results reach it before it answers', async () => {
    const script = models('waits')
    const leaf = new Agent({ id: 'leaf', description: 'd', model: script.at('sup/mid/leaf') })
    const backgroundTasks = { tools: { leaf: { enabled: true } } }
    const mid = new Agent({
      id: 'mid',
      description: 'd',
      model: script.at('sup/mid'),
      agents: { leaf },
      backgroundTasks,
    })
    const app = new Retinue({
      agents: { sup: new Agent({ id: 'sup', model: script.at('sup'), agents: { mid } }) },
      backgroundTasks: { enabled: true },
      logger: false,
    })
    const result = await app.getAgent('sup').generate('Go', { untilIdle: true })
    expect(result.text).toBe('one\n\ntwo')
    script.assertDone()
    expect(script.calls('sup/mid').map((call) => times(call, 'LEAF'))).toEqual([0, 0, 1])
    const last = script.calls('sup').at(-1)
    expect(times(last, 'MID')).toBe(1)
    // What it said before it knew is not its answer.
    expect(times(last, 'not yet')).toBe(0)
  })

  test('also where its parent has it run in the foreground', async () => {
    const script = scriptedModels({
      sup: [{ calls: [ask('mid')] }, { text: 'one' }],
      'sup/mid': [{ calls: [ask('leaf')] }, { text: 'not yet' }, { text: 'MID' }],
      'sup/mid/leaf': [{ text: 'LEAF' }],
    })
    const leaf = new Agent({ id: 'leaf', description: 'd', model: script.at('sup/mid/leaf') })
    const backgroundTasks = { tools: { leaf: true } }
    const mid = new Agent({
      id: 'mid',
      description: 'd',
      model: script.at('sup/mid'),
      agents: { leaf },
      backgroundTasks,
    })
    const sup = new Agent({
      id: 'sup',
      model: script.at('sup'),
      agents: { mid },
      backgroundTasks: { tools: { mid: false } },
    })
    const app = new Retinue({ agents: { sup }, backgroundTasks: { enabled: true }, logger: false })
    const result = await app.getAgent('sup').generate('Go')
    expect(result.text).toBe('one')
    expect(result.toolResults[0]).toMatchObject({ result: { status: 'completed', text: 'MID' } })
    script.assertDone()
  })

  test('a cycle of agents says nothing of itself', async () => {
    const agents: Record<string, Agent> = {}
    const sup = new Agent({ id: 'sup', model: scriptedModel([{ text: 'x' }]), agents: () => agents })
    agents['sup'] = sup
    const app = new Retinue({ agents: { sup }, backgroundTasks: { enabled: true }, logger: false })
    expect((await app.getAgent('sup').generate('Go')).text).toBe('x')
  })
})

describe('B9.1 tools in the background', () => {
  test('a tool that says so itself is run there, and its result comes as a message', async () => {
    const slow = createTool({ id: 'slow', background: true, execute: () => ({ found: 'ZEBRA' }) })
    const { sup, models } = team(
      { sup: [{ calls: [{ id: 'c', name: 'slow', args: {} }] }, { text: 'one' }, { text: 'two' }] },
      { sup: { tools: { slow } } },
    )
    const stream = await sup.streamUntilIdle('Go')
    const events = await eventsOf(stream)
    expect(statesOf(events)).toEqual(['started', 'running', 'completed'])
    expect(events.find(({ type }) => type === 'background-task-completed')).toMatchObject({
      payload: { toolCallId: 'c', toolName: 'slow', result: { found: 'ZEBRA' } },
    })
    expect(times(models.calls('sup')[2], 'ZEBRA')).toBe(1)
  })

  test.each([5, 'yes', { timeout: 1 }, { timeoutMs: 0 }, { maxRetries: 1.5 }])(
    'a tool whose background is %j is refused',
    (background) => {
      const make = () => createTool({ id: 't', background: background as never, execute: () => 1 })
      expect(make).toThrow(expect.objectContaining({ code: 'tool-invalid' }) as Error)
    },
  )
})

describe('B9.3 the model chooses, where its agent lets it', () => {
  const choosing = (background: unknown) => ({
    sup: [
      { calls: [{ id: 'c', name: 'a', args: { prompt: 'do', ...(background === undefined ? {} : { background }) } }] },
      { text: 'one' },
      ...(background === false ? [] : [{ text: 'two' }]),
    ],
    'sup/a': [{ text: 'ZEBRA' }],
  })
  const mayChoose = { sup: { backgroundTasks: { tools: { a: { modelMayChoose: true } } } } }

  test.each([
    [true, 'one\n\ntwo'],
    [undefined, 'one\n\ntwo'],
    [null, 'one\n\ntwo'],
    [false, 'one'],
  ])('background: %j', async (background, text) => {
    const { sup, models } = team(choosing(background), mayChoose)
    expect((await sup.generate('Go')).text).toBe(text)
    models.assertDone()
    const [{ options } = { options: undefined }] = models.calls('sup')
    const [tool] = (options?.tools ?? []) as { inputSchema: { properties: object; required: string[] } }[]
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['prompt', 'background'])
    expect(tool?.inputSchema.required).toEqual(['prompt'])
    // The child is not told of it.
    expect(times(models.calls('sup/a')[0], 'background')).toBe(0)
  })

  test('anything else is an error result', async () => {
    const { sup } = team(
      {
        sup: [{ calls: [{ id: 'c', name: 'a', args: { prompt: 'do', background: 'no' } }] }, { text: 'one' }],
        'sup/a': [],
      },
      mayChoose,
    )
    const { toolResults } = await sup.generate('Go')
    expect(toolResults[0]?.error?.message).toContain('background: it must be true or false')
  })

  test('else there is no such field, and one that the model makes up is refused', async () => {
    const { sup, models } = team({
      sup: [{ calls: [{ id: 'c', name: 'a', args: { prompt: 'do', background: true } }] }, { text: 'one' }],
      'sup/a': [],
    })
    const { toolResults } = await sup.generate('Go')
    expect(toolResults[0]?.error?.code).toBe('tool-arguments-invalid')
    const [tool] = (models.calls('sup')[0]?.options.tools ?? []) as { inputSchema: { properties: object } }[]
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['prompt'])
  })

  test('a subagent that has such a field of its own is an error that says so', async () => {
    const { sup } = team(script(), {
      ...mayChoose,
      children: { a: { inputSchema: z.object({ background: z.string() }) } },
    })
    await expect(sup.generate('Go')).rejects.toMatchObject({
      code: 'schema-unsupported',
      data: { tool: 'a', field: 'background' },
    })
  })
})
