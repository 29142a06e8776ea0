import { expect, test } from 'vitest'
import { testApp } from '../../test-support/test-app.ts'
import { withoutPatterns } from './client-schema.ts'

// One that backtracks would hold up the process, and the test with it: these are harmless, and not met.
const parameters = {
  type: 'object',
  properties: { city: { type: 'string', pattern: '^Oslo$' } },
  required: ['city'],
} as const

test('B12.3 SEC no regular expression of a client is ever run: not of the schema of an answer', async () => {
  const bergen = '{"city":"Bergen"}'
  const t = testApp({ script: { plain: [{ text: bergen }, { text: bergen }, { text: bergen }] } })
  const body = { input: 'Where?', structuredOutput: { schema: parameters } }
  expect(await (await t.post('/api/agents/plain/generate', body)).json()).toMatchObject({ object: { city: 'Bergen' } })
  const format = { type: 'json_schema', json_schema: { name: 'place', schema: parameters } }
  const asked = { model: 'plain', messages: [{ role: 'user', content: 'Where?' }], response_format: format }
  const completion = (await (await t.post('/v1/chat/completions', asked)).json()) as {
    choices: { message: { content: string } }[]
  }
  expect(completion.choices[0]?.message.content).toBe(bergen)
})

test('B12.3 SEC no regular expression of a client is ever run: not of a tool that it brings along', async () => {
  const t = testApp({ script: { plain: [{ calls: [{ id: 'w1', name: 'weather', args: { city: 'Bergen' } }] }] } })
  const answer = await t.post('/v1/chat/completions', {
    model: 'plain',
    messages: [{ role: 'user', content: 'Weather?' }],
    tools: [{ type: 'function', function: { name: 'weather', parameters } }],
  })
  expect(await answer.json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
})

test('B12.3 a property, or a value, that is called pattern stays in a schema', () => {
  const kept = {
    type: 'object',
    properties: { pattern: { type: 'string', enum: ['pattern'] } },
    $defs: { patternProperties: { const: { pattern: 'a' } } },
    required: ['pattern'],
  }
  const items = {
    anyOf: [
      { pattern: 'a', type: 'string' },
      { patternProperties: { a: {} }, type: 'object' },
    ],
  }
  expect(withoutPatterns({ ...kept, items, pattern: 'a' })).toEqual({
    ...kept,
    items: { anyOf: [{ type: 'string' }, { type: 'object' }] },
  })
})
