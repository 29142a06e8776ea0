import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test-support/loopback-server.ts'
import {
  anthropic,
  compatible,
  gemini,
  openaiChat,
  openaiResponses,
  PROTOCOLS,
  says,
  type WireProtocol,
} from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'
import { createTool } from '../../tools/create-tool.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF = 'JVBERi0xLjQKJeLjz9MK'
const URL_OF_IMAGE = 'https://images.test/Cat%20One.PNG?x=1&y=%2B'

/** A message with a file beside its text. */
const withFile = (part: object) => [{ role: 'user' as const, content: [{ type: 'text', text: 'See' }, part] }]

async function sent(protocol: WireProtocol, part: object): Promise<string> {
  const server = await startServer([(reply) => reply.whole(says(protocol, 'A cat'))])
  const { text } = await new Agent({ id: 'a', model: protocol.model(server.url) }).generate(withFile(part))
  expect(text).toBe('A cat')
  return server.requests[0]?.raw ?? ''
}

const data = `data:image/png;base64,${PNG}`
const bytes = Uint8Array.from(Buffer.from(PNG, 'base64'))

describe.each([
  [openaiChat, { type: 'image_url', image_url: { url: data } }],
  [compatible, { type: 'image_url', image_url: { url: data } }],
  [openaiResponses, { type: 'input_image', image_url: data }],
  [anthropic, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
  [gemini, { inlineData: { mimeType: 'image/png', data: PNG } }],
])('$name', (protocol, form) => {
  test.each([
    ['as base64', { type: 'image', image: PNG, mediaType: 'image/png' }],
    ['as bytes', { type: 'file', data: bytes, mediaType: 'image/png' }],
    ['as a data URL', { type: 'file', data, mediaType: 'image/png' }],
    ['as an image of whatever kind', { type: 'image', image: bytes }],
  ])('B1.3 an image %s arrives in the provider’s own form', async (_name, part) => {
    expect(await sent(protocol, part)).toContain(JSON.stringify(form))
  })
})

test.each([
  [openaiChat, { type: 'image_url', image_url: { url: URL_OF_IMAGE } }],
  [openaiResponses, { type: 'input_image', image_url: URL_OF_IMAGE }],
  [anthropic, { type: 'image', source: { type: 'url', url: URL_OF_IMAGE } }],
  [gemini, { fileData: { mimeType: 'image/png', fileUri: URL_OF_IMAGE } }],
])('B1.2 $name fetches an image by its URL itself, which arrives as it was given', async (protocol, form) => {
  const raw = await sent(protocol, { type: 'file', data: new URL(URL_OF_IMAGE), mediaType: 'image/png' })
  expect(raw).toContain(JSON.stringify(form))
})

test.each([
  [openaiResponses, '"type":"input_file"'],
  [anthropic, '"type":"document"'],
  [gemini, '"mimeType":"application/pdf"'],
  [openaiChat, '"type":"file"'],
])('B1.3 $name gets a document with its bytes', async (protocol, form) => {
  const raw = await sent(protocol, { type: 'file', data: PDF, mediaType: 'application/pdf', filename: 'a.pdf' })
  expect(raw).toContain(form)
  expect(raw).toContain(PDF)
})

describe.each(PROTOCOLS)('$name', (protocol) => {
  test('B1.2 a URL that the model does not fetch is refused before anything is sent', async () => {
    const server = await startServer([])
    const agent = new Agent({ id: 'a', model: protocol.model(server.url) })
    const refused = { code: 'file-url-unsupported', hint: expect.stringContaining('bytes') }
    for (const url of ['https://files.test/a.zip?token=hush', 'ftp://files.test/a.zip']) {
      const part = { type: 'file', data: new URL(url), mediaType: 'application/zip' }
      const error: unknown = await agent.generate(withFile(part)).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject(refused)
      expect(String(error)).not.toContain('hush')
    }
  })

  test('B2.2 a child is shown the images of the conversation', async () => {
    const server = await startServer([
      (reply) => reply.whole(protocol.calls({ id: 'call_1', name: 'child', pieces: ['{"prompt":"Whose?"}'] })),
      (reply) => reply.whole(says(protocol, 'A cat’s')),
      (reply) => reply.whole(says(protocol, 'A cat')),
    ])
    const model = protocol.model(server.url)
    const child = new Agent({ id: 'child', description: 'Sees.', model })
    const input = withFile({ type: 'image', image: PNG, mediaType: 'image/png' })
    await new Agent({ id: 'a', model, agents: { child } }).generate(input)
    expect(server.requests.map(({ raw }) => raw.split(PNG).length - 1)).toEqual([1, 1, 1])
  })

  test('B1.9 what a tool gives as an image reaches the model in a valid form', async () => {
    const server = await startServer([
      (reply) => reply.whole(protocol.calls({ id: 'call_1', name: 'shoot', pieces: ['{}'] })),
      (reply) => reply.whole(says(protocol, 'A cat')),
    ])
    const shoot = createTool({
      id: 'shoot',
      execute: () => 'shot',
      toModelOutput: () => ({
        type: 'content',
        value: [
          { type: 'text', text: 'Here it is' },
          { type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' },
        ],
      }),
    })
    const { text } = await new Agent({ id: 'a', model: protocol.model(server.url), tools: { shoot } }).generate('Go')
    expect(text).toBe('A cat')
    expect(server.requests[1]?.raw).toContain('Here it is')
    expect(server.requests[1]?.raw).toContain(PNG)
  })
})
