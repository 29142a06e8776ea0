import { expectError, expectSame, expectTrue } from './expectations.ts'
import { ADA, idsOf, messageOf, type StorageCase, said, storageCase, threadOf } from './storage-case.ts'

const T1 = { threadId: 't1', resourceId: ADA }

export const messageCases: readonly StorageCase[] = [
  storageCase('messages keep the order in which they were saved, whatever their clocks', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 0)
    const first = await threads.append({ ...T1, messages: [said('a', 'a', 900), said('b', 'b', 100)] })
    const second = await threads.append({ ...T1, messages: [said('c', 'c', 500)] })
    const sequences = [...first, ...second]
    expectTrue(isIncreasing(sequences), 'sequences increase')
    const { messages } = await threads.listMessages({ ...T1, limit: 9 })
    expectSame(idsOf(messages), ['a', 'b', 'c'], 'the order')
    expectSame(
      messages.map(({ sequence }) => sequence),
      sequences,
      'the sequences',
    )
    expectSame(messages[1], { ...said('b', 'b', 100), threadId: 't1', sequence: sequences[1] }, 'a message')
  }),
  storageCase('a sequence is never given twice, also if a thread is deleted', async (storage) => {
    await threadOf(storage, 't1', 3)
    const [last = 0] = (await storage.threads.listMessages({ ...T1, limit: 1 })).messages.map((found) => found.sequence)
    await storage.threads.delete(T1)
    await threadOf(storage, 't1', 1)
    const [next = 0] = (await storage.threads.listMessages({ ...T1, limit: 1 })).messages.map((found) => found.sequence)
    expectTrue(next > last, 'the sequence goes on')
  }),
  storageCase('a message is saved once: the same id again changes nothing, and tells its place', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 0)
    await threadOf(storage, 't2', 0)
    const [first] = await threads.append({ ...T1, messages: [said('a', 'once')] })
    const again = await threads.append({ ...T1, messages: [said('b'), said('a', 'twice'), said('c')] })
    expectSame(again[1], first, 'the place of the one that was there')
    const { messages } = await threads.listMessages({ ...T1, limit: 9 })
    expectSame(idsOf(messages), ['a', 'b', 'c'], 'the messages')
    expectSame(messages[0]?.message, said('a', 'once').message, 'the one that was there')
    // An id is the business of its thread: nobody else can take it away.
    await threads.append({ threadId: 't2', resourceId: ADA, messages: [said('a', 'elsewhere')] })
    const other = await messageOf(storage, { threadId: 't2', resourceId: ADA }, 'a')
    expectSame(other.message, said('a', 'elsewhere').message, 'the same id in another thread')
  }),
  storageCase('many writers at once lose nothing and get different places', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 0)
    const writers = Array.from({ length: 20 }, (_none, writer) => writer)
    const places = await Promise.all(
      writers.map(async (writer) => {
        const own: number[] = []
        for (let n = 0; n < 5; n++) own.push(...(await threads.append({ ...T1, messages: [said(`${writer}-${n}`)] })))
        return own
      }),
    )
    expectTrue(places.every(isIncreasing), 'each writer finds its messages in its order')
    const { messages } = await threads.listMessages({ ...T1, limit: 1000 })
    expectSame(new Set(places.flat()).size, 100, 'how many places there are')
    const stored = messages.map(({ sequence }) => sequence)
    expectSame(
      stored,
      places.flat().toSorted((one, other) => one - other),
      'the places',
    )
  }),
  storageCase('messages are read from both ends of a range, by pages', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 7)
    const all = (await threads.listMessages({ ...T1, limit: 7 })).messages
    const at = (index: number): number => all[index]?.sequence ?? 0
    const read = async (query: object) => {
      const { messages, hasMore } = await threads.listMessages({ ...T1, limit: 2, ...query })
      return { ids: idsOf(messages), hasMore }
    }
    expectSame(await read({}), { ids: ['m6', 'm7'], hasMore: true }, 'the last')
    expectSame(await read({ before: at(5) }), { ids: ['m4', 'm5'], hasMore: true }, 'the last before one')
    expectSame(await read({ before: at(2) }), { ids: ['m1', 'm2'], hasMore: false }, 'the first, from behind')
    expectSame(await read({ from: 'oldest' }), { ids: ['m1', 'm2'], hasMore: true }, 'the first')
    const after = await read({ from: 'oldest', after: at(1) })
    expectSame(after, { ids: ['m3', 'm4'], hasMore: true }, 'the first after one')
    const between = await read({ after: at(1), before: at(3) })
    expectSame(between, { ids: ['m3'], hasMore: false }, 'between two')
    expectSame(await read({ after: at(6) }), { ids: [], hasMore: false }, 'after the last')
    await expectError(read({ limit: 0 }), 'option-invalid', 'a limit of 0')
    await expectError(read({ limit: 1.5 }), 'option-invalid', 'half a message')
  }),
  storageCase('a message is read by its id, alone or with those around it', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 5)
    await threadOf(storage, 't2', 5)
    const { id, message } = await messageOf(storage, T1, 'm3')
    expectSame({ id, message }, { id: 'm3', message: said('m3').message }, 'the message')
    const around = async (messageId: string, before: number, after: number) =>
      idsOf((await threads.listNeighbours({ ...T1, messageId, before, after })).messages)
    expectSame(await around('m3', 1, 1), ['m2', 'm3', 'm4'], 'one on each side')
    expectSame(await around('m1', 2, 2), ['m1', 'm2', 'm3'], 'at the beginning')
    expectSame(await around('m5', 9, 0), ['m1', 'm2', 'm3', 'm4', 'm5'], 'at the end')
    const none = { ...T1, messageId: 'none' }
    await expectError(threads.listNeighbours({ ...none, before: 1, after: 1 }), 'message-not-found', 'listNeighbours')
  }),
  storageCase('thousands of messages are saved by one call, in their order', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 1)
    const messages = Array.from({ length: 7000 }, (_none, index) => said(`n${index}`))
    const turn = { ...T1, messages, lastMessages: 1, at: 1000 }
    const { sequences, recalled } = await threads.beginTurn(turn)
    expectTrue(sequences.length === 7000 && isIncreasing(sequences), 'each has its place')
    expectSame(idsOf(recalled), ['m1'], 'what was said before')
    const again = [said('m2'), ...messages.toReversed(), said('m3')]
    const places = await threads.append({ ...T1, messages: again })
    expectSame(places.slice(1, -1), sequences.toReversed(), 'the places of what was there')
    const last = await threads.listMessages({ ...T1, limit: 3 })
    expectSame(idsOf(last.messages), ['n6999', 'm2', 'm3'], 'the last')
  }),
  storageCase('appending nothing writes nothing', async (storage) => {
    await threadOf(storage, 't1', 1)
    expectSame(await storage.threads.append({ ...T1, messages: [] }), [], 'the places')
    await expectError(
      storage.threads.append({ threadId: 'none', resourceId: ADA, messages: [] }),
      'thread-not-found',
      'to no thread',
    )
  }),
]

function isIncreasing(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] as number))
}
