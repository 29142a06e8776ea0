import type { Storage } from '../../storage/storage.ts'
import { expectSame, expectTrue } from './expectations.ts'
import { ADA, answered, BOB, idsOf, type StorageCase, said, storageCase, withMessage } from './storage-case.ts'

async function ids({ threads }: Storage, query: string, threadId?: string): Promise<string[]> {
  const where = threadId === undefined ? { resourceId: ADA } : { resourceId: ADA, threadId }
  const { found } = await threads.search({ ...where, query, limit: 9 })
  return idsOf(found.map(({ message }) => message))
}

async function filled(storage: Storage): Promise<void> {
  for (const threadId of ['t1', 't2']) await storage.threads.create({ threadId, resourceId: ADA, at: 1 })
  await storage.threads.append({
    threadId: 't1',
    resourceId: ADA,
    messages: [
      said('coffee', 'How does Rwanda earn money with coffee exports?'),
      answered('tea', 'Mostly tea; coffee comes second. Le café est bon.'),
      said('cats', 'My cat is called "OR" AND it likes NEAR(fish) * ^'),
      said('tokyo', '東京タワーへ行きたい'),
    ],
  })
  await storage.threads.append({ threadId: 't2', resourceId: ADA, messages: [said('other', 'coffee elsewhere')] })
}

export const searchCases: readonly StorageCase[] = [
  storageCase('messages are found by their words, in a thread or in all of a resource', async (storage) => {
    await filled(storage)
    expectSame((await ids(storage, 'coffee')).toSorted(), ['coffee', 'other', 'tea'], 'in all')
    expectSame((await ids(storage, 'coffee', 't1')).toSorted(), ['coffee', 'tea'], 'in one thread')
    expectSame(await ids(storage, 'giraffe'), [], 'a word that nobody said')
    expectSame(await ids(storage, 'giraffe', 't1'), [], 'nor in a thread')
    expectSame(await ids(storage, 'CAFE'), ['tea'], 'without case and accents')
    expectSame(await ids(storage, 'wanda'), [], 'no parts of words')
    expectSame(await ids(storage, 'caf'), [], 'nor short beginnings')
    expectSame(await ids(storage, 'Rwandas exported'), ['coffee'], 'other forms of words')
    expectSame(await ids(storage, '東京'), ['tokyo'], 'without spaces')
  }),
  storageCase('what holds more of the words, and rarer ones, comes first', async (storage) => {
    await filled(storage)
    expectSame((await ids(storage, 'coffee exports of Rwanda'))[0], 'coffee', 'the first')
    const { found } = await storage.threads.search({ resourceId: ADA, query: 'coffee Rwanda', limit: 2 })
    expectSame(found.length, 2, 'how many are found')
    expectTrue((found[0]?.score ?? 0) > (found[1]?.score ?? 0), 'the first has the greater score')
  }),
  storageCase(
    'B6.1 a question finds its answer among hundreds of messages, and ranks by nobody else’s',
    async (storage) => {
      const { threads } = storage
      const begin = (resourceId: string, texts: readonly string[]) =>
        threads.beginTurn({
          ...{ threadId: `of ${resourceId}`, resourceId, lastMessages: 0, at: 1 },
          messages: texts.map((text, index) => said(`m${index}`, text)),
        })
      const others = Array.from({ length: 200 }, (_none, index) => `Deploy ${100 + index} failed, and a pick of it.`)
      await begin(ADA, [...others, 'We picked fly.io as the deploy target.', 'Which did we?'])
      const search = async (query: string, more = {}) =>
        (await threads.search({ resourceId: ADA, query, limit: 3, ...more })).found
      for (const more of [{}, { threadId: `of ${ADA}` }]) {
        const found = await search('Which deploy target did we pick?', more)
        expectSame(idsOf(found.map(({ message }) => message)), ['m200', 'm199', 'm198'], 'what is found')
        const rare = await search('What deploy failed to do with the target', more)
        expectSame(rare[0]?.message.id, 'm200', 'a rare word counts more than two that are common')
        const common = await search('which did we', more)
        expectSame(common[0]?.message.id, 'm201', 'words that are in every sentence, where there are no others')
      }
      // What is rare for her is common for somebody else.
      const scores = async () => (await search('target deploy')).map(({ score }) => score)
      const before = await scores()
      await begin(
        BOB,
        Array.from({ length: 400 }, () => 'A target. On target!'),
      )
      expectSame(await scores(), before, 'the scores after somebody else spoke')
    },
  ),
  storageCase(
    'B6.1 a word itself ranks above its forms, a short text above a long one, and the newest of equals first',
    async (storage) => {
      const { threads } = storage
      await threads.create({ threadId: 't1', resourceId: ADA, at: 1 })
      await threads.append({
        threadId: 't1',
        resourceId: ADA,
        messages: [
          said('long', `The release came. ${'And it was a day like others. '.repeat(20)}`),
          said('one', 'The release came.'),
          said('two', 'The release came.'),
          said('form', 'The releases won.'),
          said('none', 'Nothing came.'),
        ],
      })
      expectSame(await ids(storage, 'the release'), ['two', 'one', 'form', 'long'], 'the order')
    },
  ),
  storageCase('a query is words, whatever is in it', async (storage) => {
    await filled(storage)
    for (const query of ['', '  ', '"', '* ^ ( ) : -', '\0', '\ud800', '🙂']) {
      expectSame(await ids(storage, query), [], `the query ${JSON.stringify(query)}`)
    }
    expectSame(await ids(storage, 'NEAR("cat" OR terms:cat*)'), ['cats'], 'a query in a language of its own')
    expectSame(await ids(storage, `cat ${'giraffe '.repeat(5000)}`), ['cats'], 'a long query')
  }),
  storageCase('only what people and agents said is found', async (storage) => {
    await storage.threads.create({ threadId: 't1', resourceId: ADA, at: 1 })
    const output = { type: 'text' as const, value: 'zebra' }
    const call = { toolCallId: 'c1', toolName: 'look' }
    await storage.threads.append({
      threadId: 't1',
      resourceId: ADA,
      messages: [
        withMessage('system', { role: 'system', content: 'zebra' }),
        withMessage('call', {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'zebra' },
            { type: 'tool-call', ...call, input: { animal: 'zebra' } },
          ],
        }),
        withMessage('result', { role: 'tool', content: [{ type: 'tool-result', ...call, output }] }),
        withMessage('note', {
          role: 'user',
          content: [{ type: 'text', text: '[retinue] zebra' }],
          providerOptions: { retinue: { origin: 'feedback' } },
        }),
        answered('said', 'a zebra\ncrossing'),
      ],
    })
    expectSame(await ids(storage, 'zebra'), ['said'], 'what is found')
    expectSame(await ids(storage, 'crossing'), ['said'], 'over lines')
  }),
]
