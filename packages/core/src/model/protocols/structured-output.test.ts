import { expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../../../test-support/loopback-server.ts'
import { openaiChat, openaiResponses, says } from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'

interface Sent {
  readonly strict: boolean
  readonly schema: { readonly additionalProperties?: unknown; readonly properties: Record<string, Sent['schema']> }
}

const places = [
  { protocol: openaiChat, at: ['response_format', 'json_schema'] },
  { protocol: openaiResponses, at: ['text', 'format'] },
]

test.each(places)(
  'B1.6 S19 $protocol.name: a structured output that is asked for as strict has only closed objects',
  async ({ protocol, at }) => {
    const server = await startServer([(reply) => reply.whole(says(protocol, '{"place":{"city":"Oslo"}}'))])
    const schema = z.object({ place: z.object({ city: z.string() }) })
    const agent = new Agent({ id: 'a', model: protocol.model(server.url) })
    const { object } = await agent.generate('Where?', { structuredOutput: { schema } })
    expect(object).toEqual({ place: { city: 'Oslo' } })
    const body: unknown = server.requests[0]?.body
    const sent = at.reduce((inner, key) => (inner as Record<string, unknown>)[key], body) as Sent
    // OpenAI answers 400 to a strict schema with an object that is open, or says nothing of it.
    if (sent.strict) {
      expect(sent.schema.additionalProperties).toBe(false)
      expect(sent.schema.properties['place']?.additionalProperties).toBe(false)
    }
  },
)
