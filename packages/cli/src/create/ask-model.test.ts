import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { askModel } from './ask-model.ts'

/** What comes of keys that are pressed at the question. */
async function pressed(keys: string): Promise<string | undefined> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  // As a terminal, keys come one by one, and some of them mean something.
  const answer = askModel(Object.assign(input, { isTTY: true }), Object.assign(output, { isTTY: true, columns: 80 }))
  input.write(keys)
  return answer
}

test('create: who leaves the question makes nothing; an answer is a model, and no answer the usual one', async () => {
  expect(await pressed('\u0004')).toBe(undefined)
  expect(await pressed('\u0003')).toBe(undefined)
  expect(await pressed('ollama/qwen3\r')).toBe('ollama/qwen3')
  expect(await pressed('\r')).toBe('openai/gpt-5.5')
  const input = new PassThrough()
  const gone = askModel(input, new PassThrough())
  input.end()
  expect(await gone).toBe(undefined)
})
