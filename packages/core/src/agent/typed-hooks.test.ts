import { describe, expectTypeOf, test } from 'vitest'
import { scriptedModels } from '../testing/index.ts'
import { Agent, agentConfig, type RunOptions } from './index.ts'

const researcher = new Agent({ id: 'research-agent', description: 'd' })
const writer = new Agent({ id: 'writing-agent', description: 'd' })
const model = 'offline/echo'

// The compiler is what is tested: `npm run typecheck` fails if a line that is to be refused is not.
describe('B3.2 hooks know the keys and ids of the subagents', () => {
  test('in defaultOptions', () => {
    new Agent({
      id: 'sup',
      model,
      agents: { researcher, writer },
      defaultOptions: {
        delegation: {
          onDelegationStart: ({ primitiveId, key }) => {
            expectTypeOf(primitiveId).toEqualTypeOf<'research-agent' | 'writing-agent'>()
            expectTypeOf(key).toEqualTypeOf<'researcher' | 'writer'>()
            // @ts-expect-error a typo
            if (primitiveId === 'reserch-agent') return { proceed: false }
            // @ts-expect-error the key is no id
            if (primitiveId === 'researcher') return { proceed: false }
            return undefined
          },
          messageFilter: ({ primitiveId, messages }) => {
            // @ts-expect-error a typo
            return primitiveId === 'writting-agent' ? [] : messages
          },
          onDelegationComplete: ({ key, bail }) => {
            // @ts-expect-error a typo
            if (key === 'writter') bail()
          },
        },
      },
    })
  })

  test('the key tells the id', () => {
    new Agent({
      id: 'sup',
      model,
      agents: { researcher, writer },
      defaultOptions: {
        delegation: {
          onDelegationStart: (context) => {
            if (context.key === 'writer') expectTypeOf(context.primitiveId).toEqualTypeOf<'writing-agent'>()
          },
        },
      },
    })
  })

  test('in a call, of generate and stream', async () => {
    const { resolveModel } = scriptedModels({ sup: [{ text: 'a' }, { text: 'b' }] })
    const sup = new Agent({ id: 'sup', agents: { researcher } })
    await sup.generate('Go', {
      resolveModel,
      // @ts-expect-error a typo
      delegation: { onDelegationStart: ({ primitiveId }) => ({ proceed: primitiveId === 'reserch-agent' }) },
    })
    const stream = await sup.stream('Go', {
      resolveModel,
      // @ts-expect-error a typo
      delegation: { onDelegationComplete: ({ key }) => void (key === 'reseacher') },
    })
    await stream.text
  })

  test('in agentConfig, where the subagents are in the config', () => {
    agentConfig({
      model,
      agents: { researcher },
      defaultOptions: {
        // @ts-expect-error a typo
        delegation: { onDelegationStart: ({ key }) => ({ proceed: key === 'reseacher' }) },
      },
    })
  })

  test('where the subagents are not known, any name compiles', () => {
    agentConfig({
      model,
      defaultOptions: { delegation: { onDelegationStart: ({ key }) => ({ proceed: key === 'x' }) } },
    })
    const agents: Record<string, Agent> = { researcher }
    const options: RunOptions = {
      delegation: { onDelegationStart: ({ primitiveId }) => ({ proceed: primitiveId === 'x' }) },
    }
    new Agent({ id: 'sup', model, agents, defaultOptions: options })
    new Agent({ id: 'sup', model, agents: () => ({ writer }), defaultOptions: options })
  })

  test('an agent whose subagents are known is an agent like any other', () => {
    const sup: Agent = new Agent({ id: 'sup', model, agents: { researcher } })
    expectTypeOf(sup.id).toEqualTypeOf<string>()
    expectTypeOf(new Agent({ id: 'x', model, agents: { sup } })).toExtend<Agent>()
  })

  test('agentConfig keeps the type of what it is given', () => {
    const config = agentConfig({ model, description: 'Finds facts.', maxRetries: 1 })
    expectTypeOf(config.description).toEqualTypeOf<'Finds facts.'>()
    // @ts-expect-error an option that is not known
    agentConfig({ modle: 'x' })
  })
})
