import { expect, test } from 'vitest'
import { createEcho } from './echo.ts'

test('offline/echo says back the last user message, and nothing else', async () => {
  const { content, finishReason } = await createEcho().doGenerate({
    prompt: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'first' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'answer' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'last' },
          { type: 'text', text: '🦊' },
        ],
      },
    ],
  })
  expect(content).toEqual([{ type: 'text', text: 'last\n🦊' }])
  expect(finishReason.unified).toBe('stop')
})
