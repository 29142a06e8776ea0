import type { Message } from '../../messages/message.ts'
import { MAX_VALUE_LENGTH } from '../../storage/encode-value.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Fields } from '../../storage/values.ts'
import { expectError, expectSame, expectTrue } from './expectations.ts'
import { ADA, messageOf, type StorageCase, said, storageCase, threadOf, withMessage } from './storage-case.ts'

const T1 = { threadId: 't1', resourceId: ADA }

/** Texts that some database or serialization somewhere does not carry. */
const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00b',
  '😀é',
  '__proto__',
  '\u2028\ufeff',
  '\\u0000',
  "'; --",
  '$retinue',
]

const PROTO: Fields = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
const TAGGED: Fields = { $retinue: 'url', value: 'x', list: [{ $retinue: { $retinue: 'object' } }] }

export const valueCases: readonly StorageCase[] = [
  storageCase('any text comes back as it was: titles, metadata, messages, working memory', async (storage) => {
    const { threads, workingMemory } = storage
    await threads.create({ ...T1, at: 1 })
    for (const [index, text] of TEXTS.entries()) {
      const what = `the text ${JSON.stringify(text)}`
      await threads.update({ ...T1, title: text, metadata: { [text]: text }, at: 1 })
      const { title, metadata } = await threads.get(T1)
      expectSame([title, metadata], [text, Object.fromEntries([[text, text]])], what)
      await workingMemory.set({ ...T1, text, at: 1 })
      expectSame((await workingMemory.get(T1))?.text, text, what)
      expectSame(await reread(storage, `m${index}`, textOf(text), { [text]: [text] }), textOf(text), what)
    }
  }),
  storageCase(
    'messages come back as they were: files, bytes, reasoning, metadata of providers, results',
    async (storage) => {
      await threadOf(storage, 't1', 0)
      for (const [index, message] of MESSAGES.entries()) {
        expectSame(await reread(storage, `m${index}`, message), message, `message ${index}`)
      }
    },
  ),
  storageCase('keys like __proto__ come back as keys, and change no prototype', async (storage) => {
    const { threads } = storage
    await threads.create({ ...T1, metadata: PROTO, at: 1 })
    for (const metadata of [PROTO, TAGGED]) {
      await threads.update({ ...T1, metadata, at: 1 })
      expectSame((await threads.get(T1)).metadata, metadata, 'metadata of the thread')
    }
    const [appended] = await threads.append({ ...T1, messages: [{ ...said('m'), metadata: PROTO }] })
    expectTrue(appended !== undefined, 'it is appended')
    expectSame((await messageOf(storage, T1, 'm')).metadata, PROTO, 'metadata of the message')
    expectSame((await threads.list({ resourceId: ADA })).items[0]?.metadata, TAGGED, 'in a listing')
    expectTrue(!('polluted' in {}), 'prototypes are clean')
  }),
  storageCase('what would not come back is refused with the place where it is, and nothing is written', refused),
  storageCase('ids that databases take for others are refused', async (storage) => {
    const { threads } = storage
    for (const id of ['', 'a\0', '\ud800', 'x'.repeat(1025)]) {
      const what = `the id ${JSON.stringify(id.slice(0, 9))}`
      await expectError(threads.create({ threadId: id, resourceId: ADA, at: 1 }), 'storage-value-refused', what)
      await expectError(threads.create({ threadId: 't', resourceId: id, at: 1 }), 'storage-value-refused', what)
    }
    await threads.create({ ...T1, at: 1 })
    await expectError(threads.append({ ...T1, messages: [said('a\0')] }), 'storage-value-refused', 'of a message')
    for (const id of ['constructor', '__proto__', "'; DROP TABLE x; --", '😀', ' t1']) {
      await threads.create({ threadId: id, resourceId: id, at: 1 })
      expectSame((await threads.get({ threadId: id, resourceId: id })).id, id, 'an odd id')
    }
  }),
  storageCase('a message may be long, and is refused when it is too long', async (storage) => {
    await threadOf(storage, 't1', 0)
    const long = textOf('é'.repeat(5_000_000))
    expectSame(await reread(storage, 'long', long), long, 'five million characters')
    const tooLong = storage.threads.append({ ...T1, messages: [said('a'), said('b', 'x'.repeat(MAX_VALUE_LENGTH))] })
    const error = await expectError(tooLong, 'storage-value-refused', 'a message that is too long')
    expectSame(error.data['place'], 'messages[1].message', 'the place')
    expectSame((await storage.threads.listMessages({ ...T1, limit: 9 })).messages.length, 1, 'what is saved')
  }),
  storageCase('what was handed over or read can be changed without changing what is stored', async (storage) => {
    const { threads } = storage
    const metadata: { list: number[] } = { list: [1] }
    await threads.create({ ...T1, metadata, at: 1 })
    metadata.list.push(2)
    const read = await threads.get(T1)
    ;(read.metadata as { list: number[] }).list.push(3)
    expectSame((await threads.get(T1)).metadata, { list: [1] }, 'what is stored')
  }),
  storageCase('a storage that was closed says so', async (storage) => {
    await threadOf(storage, 't1', 0)
    await storage.close()
    await storage.close()
    await expectError(storage.threads.get(T1), 'storage-closed', 'get')
    await expectError(storage.threads.list({ resourceId: ADA }), 'storage-closed', 'list')
    await expectError(storage.workingMemory.get({ resourceId: ADA }), 'storage-closed', 'working memory')
    await expectError(storage.threads.append({ ...T1, messages: [said('a')] }), 'storage-closed', 'append')
  }),
]

function textOf(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** What is read of a message after it was appended. */
async function reread(storage: Storage, id: string, message: Message, metadata?: Fields): Promise<Message> {
  await storage.threads.append({
    ...T1,
    messages: [{ ...withMessage(id, message), ...(metadata ? { metadata } : {}) }],
  })
  const stored = await messageOf(storage, T1, id)
  if (metadata) expectSame(stored.metadata, metadata, 'metadata of the message')
  return stored.message
}

const MESSAGES: readonly Message[] = [
  { role: 'system', content: 'be\0kind' },
  {
    role: 'user',
    content: [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGVsbG8=' }, filename: 'é.png' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: Uint8Array.of(0, 255, 128) } },
      { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL('https://example.com/ä?q=%20#x') } },
    ],
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' }, zero: -0, none: null } },
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm\ud83d', providerOptions: { anthropic: { signature: 'EqQB+/=\0' } } },
      { type: 'text', text: '' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { __proto__: null, n: -0, tiny: 5e-324 } },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'look',
        output: { type: 'json', value: JSON.parse('{"__proto__":1}') },
      },
      { type: 'tool-result', toolCallId: 'c2', toolName: 'look', output: { type: 'error-text', value: '' } },
      { type: 'tool-result', toolCallId: 'c3', toolName: 'look', output: { type: 'json', value: false } },
      { type: 'tool-result', toolCallId: 'c4', toolName: 'look', output: { type: 'json', value: null } },
    ],
  },
]

/** Values that JSON has no form for, or another. */
function unstorable(): Record<string, unknown> {
  const circle: Record<string, unknown> = {}
  const hidden = { value: () => 'other' }
  circle['self'] = circle
  let deep: unknown = 'bottom'
  for (let level = 0; level < 10_000; level++) deep = [deep]
  return {
    nan: Number.NaN,
    infinite: Number.NEGATIVE_INFINITY,
    date: new Date(0),
    map: new Map([[1, 2]]),
    set: new Set([1]),
    function: () => 1,
    symbol: Symbol('s'),
    bigint: 10n,
    hole: [1, undefined],
    error: new Error('no'),
    listWithMore: Object.assign([1], { more: 1 }),
    listWithSymbol: Object.assign([1], { [Symbol('s')]: 1 }),
    listOfItsOwnJson: Object.defineProperty([1], 'toJSON', hidden),
    itsOwnJson: Object.defineProperty({ a: 1 }, 'toJSON', hidden),
    circle,
    deep,
    symbolKey: { [Symbol('s')]: 1 },
  }
}

async function refused(storage: Storage): Promise<void> {
  const { threads } = storage
  await threadOf(storage, 't1', 1)
  for (const [name, value] of Object.entries(unstorable())) {
    const metadata = { fine: 1, odd: value } as Fields
    const appended = threads.append({ ...T1, messages: [said('fine'), { ...said('odd'), metadata }] })
    const error = await expectError(appended, 'storage-value-refused', name)
    expectTrue(String(error.data['place']).startsWith('messages[1].metadata.odd'), `the place of ${name}`)
    await expectError(threads.update({ ...T1, metadata, at: 1 }), 'storage-value-refused', name)
    await expectError(
      threads.create({ threadId: name, resourceId: ADA, metadata, at: 1 }),
      'storage-value-refused',
      name,
    )
    const input = { type: 'tool-call' as const, toolCallId: 'c', toolName: 't', input: { odd: value } }
    const begun = threads.beginTurn({
      threadId: 'new',
      resourceId: ADA,
      messages: [said('fine'), withMessage('odd', { role: 'assistant', content: [input] })],
      lastMessages: 1,
      at: 1,
    })
    const { data } = await expectError(begun, 'storage-value-refused', name)
    expectTrue(String(data['place']).startsWith('messages[1].message.content[0].input.odd'), `the place of ${name}`)
  }
  expectSame((await threads.list({ resourceId: ADA })).items.length, 1, 'the threads')
  expectSame((await threads.listMessages({ ...T1, limit: 9 })).messages.length, 1, 'the messages')
  const notOne = { role: 'user', content: 'text' } as unknown as Message
  await expectError(
    threads.append({ ...T1, messages: [withMessage('x', notOne)] }),
    'storage-value-refused',
    'no message',
  )
  await expectError(threads.append({ ...T1, messages: [said('x', 'x', 0.5)] }), 'storage-value-refused', 'half a time')
}
