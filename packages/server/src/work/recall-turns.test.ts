import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'
import type { UnreadableRow } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { recallTurns } from './recall-turns.ts'

/** A thread of which each letter is a message: `u` is said by the person, `n` by the framework, `x` can't be read, `a` is the answer. */
function threadOf(letters: string): AgentMemory {
  const all = [...letters].map((letter, index) => ({ letter, sequence: 3 * index + 1 }))
  const recall: AgentMemory['recall'] = async ({ limit = 100, before = Number.POSITIVE_INFINITY }) => {
    const those = all.filter(({ sequence }) => sequence < before)
    const page = those.slice(-limit)
    const read = page.filter(({ letter }) => letter !== 'x')
    return {
      messages: read.map(({ letter, sequence }) => remembered(letter, sequence)),
      hasMore: those.length > limit,
      unreadable: page.filter(({ letter }) => letter === 'x').map(({ sequence }) => damaged(sequence)),
    }
  }
  return { recall } as AgentMemory
}

function remembered(letter: string, sequence: number): RememberedMessage {
  const told = letter === 'n' ? { origin: 'task' } : {}
  const role = letter === 'a' ? 'assistant' : 'user'
  return {
    role,
    content: [{ type: 'text', text: letter }],
    id: `m${sequence}`,
    sequence,
    createdAt: 0,
    ...told,
  } as never
}

function damaged(sequence: number): UnreadableRow {
  return { id: `m${sequence}`, sequence, reason: 'no JSON' }
}

/** All pages, the last first: the messages of each, and in brackets how many can't be read. */
async function pagesOf(letters: string, limit: number): Promise<string[]> {
  const memory = threadOf(letters)
  const pages: string[] = []
  let before: number | undefined
  do {
    const from = before === undefined ? {} : { before }
    const page = await recallTurns(memory, { threadId: 't', resourceId: 'r', limit, ...from })
    const texts = page.messages.map(({ content }) => (content as { text: string }[])[0]?.text)
    pages.push(texts.join('') + (page.unreadable.length > 0 ? `(${page.unreadable.length})` : ''))
    before = page.before
  } while (before !== undefined)
  return pages
}

test('pages begin where a person says something, and have every message once', async () => {
  expect(await pagesOf('uauaua', 4)).toEqual(['uaua', 'ua'])
  expect(await pagesOf('uauaua', 3)).toEqual(['ua', 'ua', 'ua'])
  expect(await pagesOf('uauaua', 6)).toEqual(['uauaua'])
  expect(await pagesOf('uaauuaa', 4)).toEqual(['uuaa', 'uaa'])
  expect(await pagesOf('', 4)).toEqual([''])
})

test('a turn that is longer than a page comes whole', async () => {
  expect(await pagesOf('uauaaaaaua', 1)).toEqual(['ua', 'uaaaaa', 'ua'])
  const long = `u${'a'.repeat(350)}`
  expect(await pagesOf(`ua${long}ua`, 2)).toEqual(['ua', long, 'ua'])
})

test('what the framework says is a part of the turn, and so is what stands before everything a person said', async () => {
  expect(await pagesOf('uanaua', 3)).toEqual(['ua', 'uana'])
  expect(await pagesOf('aaaua', 2)).toEqual(['ua', 'aaa'])
  expect(await pagesOf('nauaa', 2)).toEqual(['uaa', 'na'])
})

test('messages that nobody can read are told with the turn that they are in, and stop nothing', async () => {
  expect(await pagesOf('uaxxxxua', 3)).toEqual(['ua', 'ua(4)'])
  expect(await pagesOf('uaxxxx', 2)).toEqual(['ua(4)'])
  expect(await pagesOf('xxua', 4)).toEqual(['ua(2)'])
  expect(await pagesOf('xxuaa', 2)).toEqual(['uaa(2)'])
  expect(await pagesOf('xxxxxx', 2)).toEqual(['(6)'])
})
