import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { StreamReader } from '../../test-support/read-stream.ts'
import { testApp } from '../../test-support/test-app.ts'
import { serve } from './serve.ts'

test('B12.3 it listens on loopback, on the port that is asked for, and lets it go', async () => {
  const { app } = testApp()
  const first = await serve({ app, port: 0, settings: { port: 1 } })
  expect(first.url).toBe(`http://127.0.0.1:${first.port}`)
  expect(await (await fetch(`${first.url}/healthz`)).json()).toEqual({ ok: true })
  await expect(serve({ app, port: first.port })).rejects.toMatchObject({
    code: 'server-cannot-listen',
    data: { system: 'EADDRINUSE' },
  })
  await first.close()
  await first.close()
  const second = await serve({ app, port: first.port })
  await second.close()
  await expect(serve({ app, host: '0.0.0.0', port: 0 })).rejects.toMatchObject({ code: 'server-unprotected' })
})

test('S30 a client that goes away is noticed, and its run ends where it is told to', async () => {
  const aborted = Promise.withResolvers<void>()
  const t = testApp({
    script: {
      plain: [
        ({ options }) => {
          options.abortSignal?.addEventListener('abort', () => aborted.resolve())
          return { text: 'never', after: new Promise(() => {}) }
        },
      ],
    },
  })
  const server = await serve({ app: t.app, port: 0, settings: { detachMs: 0 } })
  const body = JSON.stringify({ input: 'Hi.' })
  const socket = connect(server.port, '127.0.0.1')
  socket.write(
    `POST /api/agents/plain/stream HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  await aborted.promise
  await server.close()
})

test('S30 it closes in the middle of a stream: the reader is told how its run ended', async () => {
  const t = testApp({ script: { plain: [{ text: 'never', after: new Promise(() => {}) }] } })
  const server = await serve({ app: t.app, port: 0, settings: { shutdownMs: 0 } })
  const response = await fetch(`${server.url}/api/agents/plain/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hi.' }),
  })
  const reader = new StreamReader(response)
  await reader.next()
  const rest = reader.rest()
  await server.close()
  expect(JSON.parse((await rest).at(-1)?.data ?? '').type).toBe('finish')
})
