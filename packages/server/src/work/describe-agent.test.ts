import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { scriptedModel } from '@retinue/core/testing'
import { expect, test } from 'vitest'
import { createHandler } from '../create-handler.ts'
import type { AgentDescription } from './describe-agent.ts'

/** What a server tells of agents, of which code can hand any to any other, cycles included. */
function told(handed: Readonly<Record<string, readonly string[]>>, top: readonly string[]) {
  const below = Object.fromEntries(Object.keys(handed).map((id): [string, Record<string, Agent>] => [id, {}]))
  const made = Object.fromEntries(
    Object.entries(below).map(([id, agents]) => [
      id,
      new Agent({ id, description: `Does the work of ${id}.`, model: scriptedModel([]), agents }),
    ]),
  )
  const pick = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, made[id] as Agent]))
  for (const [id, ids] of Object.entries(handed)) Object.assign(below[id] ?? {}, pick(ids))
  const app = new Retinue({ agents: pick(top), storage: new InMemoryStorage(), logger: false })
  const server = createHandler({ app })
  return async (path: string): Promise<unknown> => (await server.fetch(new Request(`http://localhost${path}`))).json()
}

/** A tree in short: each agent's key, with `=` where it is told elsewhere, and those below it. */
function keysOf(agents: readonly AgentDescription[] = []): string {
  return agents
    .map(({ key, repeated, agents }) => key + (repeated ? '=' : '') + (agents?.length ? `(${keysOf(agents)})` : ''))
    .join(' ')
}

test('agents that delegate to each other are told once each', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
  const get = told(Object.fromEntries(ids.map((id) => [id, ids])), ['a'])
  const again = ids.map((id) => `${id}=`).join(' ')
  const others = ids.slice(1).map((id) => `${id}(${again})`)
  const tree = `a(a= ${others.join(' ')})`
  const { agents } = (await get('/api/agents')) as { agents: AgentDescription[] }
  expect(keysOf(agents)).toBe(tree)
  expect(keysOf([(await get('/api/agents/a')) as AgentDescription])).toBe(tree)
})

test('an agent that stands at the top and below another is told at the top; elsewhere all but its own agents is', async () => {
  const get = told({ sup: ['mid', 'clerk'], mid: ['clerk'], clerk: ['low'], low: [] }, ['sup', 'clerk'])
  const { agents } = (await get('/api/agents')) as { agents: AgentDescription[] }
  expect(keysOf(agents)).toBe('sup(mid(clerk=) clerk=) clerk(low)')
  const { agents: own, ...rest } = agents[1] as AgentDescription
  expect(agents[0]?.agents?.[1]).toEqual({ ...rest, agents: [], repeated: true })
  expect(own).toHaveLength(1)
  // Asked for by itself, it is told where it stands in that tree.
  expect(keysOf([(await get('/api/agents/sup')) as AgentDescription])).toBe('sup(mid(clerk=) clerk(low))')
})
