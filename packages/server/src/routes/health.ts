import { z } from 'zod'
import { serverClosing } from '../errors/request-errors.ts'
import { type Route, route } from '../http/route.ts'

const ok = z.object({ ok: z.literal(true) })

export const healthRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/healthz',
    owner: 'public',
    tag: 'server',
    summary: 'Whether the process lives.',
    answers: { 200: { description: 'It does.', schema: ok } },
    handle: () => Response.json({ ok: true }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    owner: 'public',
    tag: 'server',
    summary: 'Whether the server takes new work.',
    answers: { 200: { description: 'It does.', schema: ok }, 503: { description: 'It is about to end.' } },
    handle: ({ services }) => {
      if (services.hub.isClosing) throw serverClosing()
      return Response.json({ ok: true })
    },
  }),
]
