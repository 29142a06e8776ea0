import { describe, expect, test } from 'vitest'
import { Agent, type InputMessage, lastMessages, type Message, type MessageFilter, maxTokens } from '../agent/index.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import { scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

type Random = () => number

/** A small seeded generator (mulberry32). */
function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const upTo = (random: Random, n: number): number => Math.floor(random() * n)

function randomPart(random: Random, id: string): object {
  switch (upTo(random, 4)) {
    case 0:
      return {
        type: 'image',
        image: Uint8Array.from({ length: 1 + upTo(random, 40) }, () => upTo(random, 256)),
        mediaType: 'image/png',
      }
    case 1:
      return { type: 'file', data: new URL(`https://example.com/${id}`), mediaType: 'application/pdf', filename: id }
    default:
      return { type: 'text', text: `${id} ${'é😀x'.repeat(upTo(random, 5))}`, providerOptions: { acme: { id } } }
  }
}

/** A valid conversation of users, assistants with reasoning, and parallel calls, that ends with the user. */
function randomHistory(random: Random): InputMessage[] {
  const out: InputMessage[] = [{ role: 'user', content: [randomPart(random, 'first')] }]
  const turns = upTo(random, 8)
  for (let n = 0; n < turns; n++) {
    const kind = upTo(random, 4)
    if (kind === 0) out.push({ role: 'user', content: [randomPart(random, `u${n}`), randomPart(random, `v${n}`)] })
    if (kind === 1)
      out.push({
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'THOUGHT' },
          { type: 'text', text: `a${n}` },
        ],
      })
    if (kind < 2) continue
    const ids = Array.from({ length: 1 + upTo(random, 3) }, (_, k) => ({ toolCallId: `c${n}-${k}`, toolName: 'tool' }))
    const say = kind === 2 ? [{ type: 'text', text: `calling ${n}` }] : []
    out.push({
      role: 'assistant',
      content: [...say, ...ids.map((call) => ({ type: 'tool-call', ...call, input: {} }))],
    })
    // Some results were never recorded.
    const recorded = ids.slice(upTo(random, 2))
    if (recorded.length > 0) {
      out.push({
        role: 'tool',
        content: recorded.map((call) => ({ type: 'tool-result', ...call, output: { type: 'text', value: 'ROW' } })),
      })
    }
  }
  out.push({ role: 'user', content: 'Go' })
  return out
}

function randomFilter(random: Random): MessageFilter | undefined {
  const k = upTo(random, 12)
  switch (upTo(random, 8)) {
    case 0:
      return undefined
    case 1:
      return lastMessages(k)
    case 2:
      return maxTokens(k * 100)
    case 3:
      return ({ messages }) => messages.filter(() => random() < 0.5)
    case 4:
      return ({ messages }) => messages.filter(({ role }) => role === 'assistant')
    case 5:
      return ({ messages }) => messages.toReversed()
    case 6:
      return ({ messages }) => messages.map((message) => ({ ...message }))
    default:
      return ({ messages }) => [...messages, ...messages, { role: 'assistant', content: [] }]
  }
}

const partsOf = (message: Message): unknown[] =>
  typeof message.content === 'string' ? [message.content] : message.content

/** One run: sup → child → leaf, each delegating after a tool round, under a random filter at both levels. */
async function run(seed: number) {
  const random = seeded(seed)
  const tool = createTool({ id: 'tool', description: 't', execute: () => 'ROW' })
  const filters = [randomFilter(random), randomFilter(random)]
  const optionsFor = (filter: MessageFilter | undefined) => (filter ? { delegation: { messageFilter: filter } } : {})
  const leaf = new Agent({ id: 'leaf', description: 'd' })
  const child = new Agent({
    id: 'child',
    description: 'd',
    agents: { leaf },
    tools: { tool },
    defaultOptions: optionsFor(filters[1]),
  })
  const sup = new Agent({ id: 'sup', agents: { child }, tools: { tool } })
  const use = { calls: [{ id: 'same', name: 'tool', args: {} }] }
  const ask = (name: string) => ({
    text: random() < 0.5 ? 'Asking.' : '',
    reasoning: 'THOUGHT',
    calls: [{ name, args: { prompt: `to ${name}` } }],
  })
  const script = scriptedModels({
    sup: [use, ask('child'), { text: 'end' }],
    'sup/child': [use, ask('leaf'), { text: 'child' }],
    'sup/child/leaf': [{ text: 'leaf' }],
  })
  const input = randomHistory(random)
  const result = await sup.generate(input, { resolveModel: script.resolveModel, ...optionsFor(filters[0]) })
  script.assertDone()
  return { result, script }
}

describe('R11 histories and filters', () => {
  test('B2.2 R11 of 300 random histories under random filters a strict model refuses none, and parts come through as they were', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { result, script } = await run(seed)
      const where = `seed ${seed}`
      const envelope = result.toolResults[1]?.result as DelegationEnvelope
      expect(envelope.status, where).toBe('completed')
      const [first, , third] = script.calls('sup')
      const known = new Set(first?.prompt.flatMap(partsOf).map((part) => withoutOptions(part)))
      for (const path of ['sup/child', 'sup/child/leaf']) {
        const prompt = script.calls(path)[0]?.prompt ?? []
        expect(prompt.at(-1), where).toEqual({
          role: 'user',
          content: [{ type: 'text', text: `to ${path.split('/').at(-1)}` }],
        })
        expect(prompt[0]?.role, where).toBe('user')
        const seen = JSON.stringify(prompt)
        expect(seen, where).not.toMatch(/THOUGHT|ROW|tool-call|providerOptions/)
        for (const part of prompt.flatMap(partsOf)) {
          const text = (part as { text?: string }).text
          if (text === 'Asking.' || text?.startsWith('to ')) continue
          expect(known.has(withoutOptions(part)), `${where}: ${JSON.stringify(part)}`).toBe(true)
        }
      }
      // The parent's own history is what it was.
      expect(third?.prompt.slice(0, first?.prompt.length), where).toEqual(first?.prompt)
    }
  })
})

function withoutOptions(part: unknown): string {
  const { providerOptions: _options, ...rest } = part as Record<string, unknown>
  return JSON.stringify(rest)
}
