import { Agent } from '@retinue/core/agent'
import { expect, test } from 'vitest'
import { agentModels } from './agent-models.ts'

/** Agents of which each delegates to those that are named; gives what is told of the first one. */
async function told(handed: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const below = Object.fromEntries(Object.keys(handed).map((id): [string, Record<string, Agent>] => [id, {}]))
  const made = Object.entries(below).map(([id, agents]): [string, Agent] => [
    id,
    new Agent({ id, description: `Does the work of ${id}.`, model: 'openai/gpt-5.5', agents }),
  ])
  for (const [id, ids] of Object.entries(handed))
    Object.assign(below[id] ?? {}, Object.fromEntries(made.filter(([key]) => ids.includes(key))))
  const [, first] = made[0] ?? []
  if (first === undefined) throw new Error('no agents')
  // As an application runs it, which is another object than what the others were handed.
  const found = await agentModels(first.within({ storage: undefined } as never), () => undefined)
  return found.map(({ key, depth }) => key + depth).join(' ')
}

test('agents that delegate to each other are told where they stand highest, and nobody below itself', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
  const others = ids.slice(1)
  const tree = others.flatMap((id) => [`${id}1`, ...others.filter((other) => other !== id).map((other) => `${other}2`)])
  expect(await told(Object.fromEntries(ids.map((id) => [id, ids])))).toBe(['a0', ...tree].join(' '))
})

test('an agent of two parents is told at both, and those below it at the first', async () => {
  expect(await told({ sup: ['mid', 'clerk'], mid: ['clerk'], clerk: ['low'], low: [] })).toBe(
    'sup0 mid1 clerk2 clerk1 low2',
  )
})
