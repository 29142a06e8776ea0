import { isDeepStrictEqual } from 'node:util'
import type { Message } from '@retinue/core'
import { isRetinueError } from '@retinue/core/errors'
import type { Fields, Storage, StoredMessage, ThreadKey, Value } from '@retinue/core/storage'
import { assert, type Property, type Random, type Tally } from '../core.ts'

/** R24: whatever value, in whatever place, comes back equal or is refused when it is written, and breaks nothing. */
export function jsonTorture(storage: Storage): Property {
  return {
    name: 'R24',
    unit: 'values',
    check: async (random, tally) => {
      const { threads } = storage
      // Each case has an owner of its own.
      const key = { threadId: `t${random.next()}`, resourceId: `r${random.next()}` }
      await threads.beginTurn({ ...key, metadata: { fine: true }, messages: [before], lastMessages: 0, at: 1 })
      await tortured(storage, key, anyValue(random, 0), tally)
      const { messages, unreadable } = await threads.listMessages({ ...key, limit: 9 })
      assert(messages[0]?.id === 'before' && unreadable.length === 0, () => 'the listing of messages broke')
      const page = await threads.list({ resourceId: key.resourceId })
      assert(page.items.length === 1 && page.unreadable.length === 0, () => 'the listing of threads broke')
      const listed = await storage.tasks.list({ rootRunId: key.threadId })
      assert(listed.unreadable.length === 0, () => 'the listing of tasks broke')
      assert(Object.keys(Object.prototype).length === 0 && !('polluted' in {}), () => 'a prototype was changed')
    },
  }
}

const before = { id: 'before', message: said('before'), createdAt: 1 }

function said(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

async function tortured(storage: Storage, key: ThreadKey, value: unknown, tally: Tally): Promise<void> {
  for (const [place, write, read] of places(storage, key, value)) {
    try {
      await write()
    } catch (error) {
      assert(isRetinueError(error, 'storage-value-refused'), () => `${place}: ${String(error)}`)
      tally('refused')
      continue
    }
    const back = await read()
    assert(same(value, back), () => `${place}: ${shown(value)} came back as ${shown(back)}`)
    tally('equal')
  }
}

type Place = readonly [string, () => Promise<unknown>, () => Promise<unknown>]

/** Each position in which a value is kept. */
function places(storage: Storage, key: ThreadKey, value: unknown): Place[] {
  const { threads, workingMemory } = storage
  const fields = { value } as Fields
  const call = { type: 'tool-call' as const, toolCallId: 'c', toolName: 't', input: value }
  const output = { type: 'json' as const, value: value as never }
  const messageOf = async (id: string) => {
    const { messages } = await threads.listNeighbours({ ...key, messageId: id, before: 0, after: 0 })
    return messages[0] as StoredMessage
  }
  const list: Place[] = [
    [
      'metadata of a thread',
      () => threads.update({ ...key, metadata: fields, at: 1 }),
      async () => (await threads.get(key)).metadata?.['value'],
    ],
    [
      'metadata of a message',
      () => threads.append({ ...key, messages: [{ ...before, id: 'metadata', metadata: fields }] }),
      async () => (await messageOf('metadata')).metadata?.['value'],
    ],
    [
      'input of a tool call',
      () =>
        threads.append({
          ...key,
          messages: [{ ...before, id: 'call', message: { role: 'assistant', content: [call] } }],
        }),
      async () => ((await messageOf('call')).message.content[0] as typeof call).input,
    ],
    [
      'output of a tool',
      () =>
        threads.append({
          ...key,
          messages: [
            {
              ...before,
              id: 'output',
              message: { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output }] },
            },
          ],
        }),
      async () => ((await messageOf('output')).message.content[0] as unknown as { output: typeof output }).output.value,
    ],
  ]
  const all = [...list, ...placesOfTasks(storage, key, value)]
  if (typeof value !== 'string') return all
  return [
    ...all,
    ['title', () => threads.update({ ...key, title: value, at: 1 }), async () => (await threads.get(key)).title],
    [
      'text of a message',
      () => threads.append({ ...key, messages: [{ ...before, id: 'text', message: said(value) }] }),
      async () => ((await messageOf('text')).message.content[0] as { text: string }).text,
    ],
    [
      'working memory',
      () => workingMemory.set({ ...key, text: value, at: 1 }),
      async () => (await workingMemory.get(key))?.text,
    ],
  ]
}

/** Each case has tasks of its own: they have the id of its thread. */
function placesOfTasks({ tasks }: Storage, { threadId: id }: ThreadKey, value: unknown): Place[] {
  const run = { rootRunId: id, parentTree: id, parentRunId: id, agentId: 'sup', at: 1 }
  const call = { path: ['sup'], toolName: 'writer', toolCallId: 'c1', tells: 'run' as const }
  const given = value as Value
  const created = (taskId: string, bodies: { args?: Value; terms?: Value }) => {
    return tasks.create({ taskId: `${id}/${taskId}`, ...run, ...call, args: null, terms: null, ...bodies })
  }
  const list: Place[] = [
    ['args of a task', () => created('args', { args: given }), async () => (await tasks.get(`${id}/args`)).args],
    ['terms of a task', () => created('terms', { terms: given }), async () => (await tasks.get(`${id}/terms`)).terms],
    [
      'outcome of a task',
      async () => {
        await created('outcome', {})
        const outcome = { value: given }
        await tasks.change({ taskId: `${id}/outcome`, from: ['pending'], to: 'completed', outcome, at: 1 })
      },
      async () => ((await tasks.get(`${id}/outcome`)).outcome as Fields)['value'],
    ],
    [
      'item of a shared list',
      () => tasks.share({ listId: id, from: 0, items: [given] }),
      async () => (await tasks.shared({ listId: id, count: 1 }))[0],
    ],
  ]
  if (typeof value !== 'string') return list
  const said: Place = [
    'text of a message to a task',
    async () => {
      await created('said', {})
      await tasks.send({ taskId: `${id}/said`, text: value, at: 1 })
    },
    async () => (await tasks.messages({ taskId: `${id}/said`, after: 0 }))[0]?.text,
  ]
  return [...list, said]
}

const KEYS = [
  '',
  'a',
  '__proto__',
  'constructor',
  'toJSON',
  'hasOwnProperty',
  'length',
  '0',
  '$retinue',
  'a\0b',
  '\ud800',
  '😀',
]
const TEXTS = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff!',
  '😀\ud83d',
  '__proto__',
  '\u2028',
  '\ufeff',
  '\\',
  '"',
  "'",
  '🙂'.repeat(300),
  'x'.repeat(200_000),
]
const NUMBERS = [0, -0, 1, -1.5, 1e21, 5e-324, Number.MAX_VALUE, 2 ** 53 + 2, Number.NaN, Number.POSITIVE_INFINITY]

/** A value of any kind: most can be kept, and one in ten has something that can't. */
function anyValue(random: Random, depth: number): unknown {
  if (depth === 0 && random.chance(0.002)) return 'y'.repeat(16_000_000)
  if (depth === 0 && random.chance(0.01)) return nested(random, random.pick([900, 1_100, 10_000]))
  const kind = random.below(depth > 3 ? 6 : 10)
  switch (kind) {
    case 0:
      return random.pick(TEXTS)
    case 1:
      return anyText(random)
    case 2:
      return random.pick(NUMBERS)
    case 3:
      return random.pick([true, false, null])
    case 4:
      return random.chance(0.15) ? odd(random) : random.below(1000)
    case 5:
      return random.chance(0.5) ? new URL('https://example.com/ä?q=%00#x') : Uint8Array.of(0, random.below(256), 255)
    case 6:
    case 7:
      return Array.from({ length: random.below(5) }, () => anyValue(random, depth + 1))
    default: {
      const object: Record<string, unknown> = random.chance(0.1) ? Object.create(null) : {}
      for (let n = random.below(5); n > 0; n--) {
        const name = random.chance(0.7) ? random.pick(KEYS) : anyText(random)
        const value = anyValue(random, depth + 1)
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
      }
      return object
    }
  }
}

function anyText(random: Random): string {
  return String.fromCharCode(...Array.from({ length: random.below(8) }, () => random.below(0x10000)))
}

function odd(random: Random): unknown {
  const circle: unknown[] = []
  circle.push(circle)
  return random.pick([
    undefined,
    new Date(0),
    new Map([[1, 2]]),
    new Set([1]),
    () => 1,
    Symbol('s'),
    10n,
    /x/,
    new Error('no'),
    Promise.resolve(1),
    new Float64Array(2),
    [1, undefined],
    new Array(3),
    circle,
    { toJSON: () => 'other' },
    Object.assign(Object.create({ inherited: 1 }), { own: 1 }),
  ])
}

function nested(random: Random, depth: number): unknown {
  let value: unknown = 'bottom'
  for (let level = 0; level < depth; level++) value = random.chance(0.5) ? [value] : { value }
  return value
}

/** Equal as Node compares, but for objects without a prototype and properties that are undefined, which are as absent. */
function same(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other))
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof URL) return ['url', value.href]
  if (value instanceof Uint8Array) return ['bytes', ...value]
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, property]) => property !== undefined)
  return new Map(entries.map(([name, property]) => [name, plain(property)]))
}

function shown(value: unknown): string {
  try {
    return JSON.stringify(value)?.slice(0, 300) ?? String(value)
  } catch {
    return String(value)
  }
}
