import { createServer, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { FrontDoor, type Place } from './front-door.ts'

function door(): FrontDoor {
  const made = new FrontDoor(
    (socket) => socket.end('taken'),
    (error) => {
      throw error
    },
  )
  onTestFinished(() => made.close())
  return made
}

/** A port that somebody else has. */
async function taken(): Promise<number> {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function at(port: number, host = '127.0.0.1', isFixed = true): Place {
  return { port, host, isFixed }
}

/** Whether somebody answers there. */
async function answers(url: string): Promise<boolean> {
  const { connect } = await import('node:net')
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.on('data', () => resolve(true))
    socket.on('error', () => resolve(false))
  })
}

test('B11.13 the door of dev moves, and lets the old place go only once it has the new one', async () => {
  const made = door()
  const first = await made.open(at(0))
  await expect(made.open(at(await taken()))).rejects.toMatchObject({ code: 'server-cannot-listen' })
  expect(await answers(first)).toBe(true)
  const second = await made.open(at(0, 'localhost'))
  expect(second).toMatch(/^http:\/\/localhost:/)
  expect([await answers(second), await answers(first)]).toEqual([true, false])
})

test('B11.13 a port that it has itself is not taken: neither by its number nor at another address', async () => {
  const made = door()
  const first = await made.open(at(0))
  const port = Number(new URL(first).port)
  expect(await made.open(at(port))).toBe(first)
  // Another way to say the same address.
  const other = await made.open(at(port, '127.1'))
  expect(await answers(other)).toBe(true)
  await expect(made.open(at(port, '192.0.2.1'))).rejects.toMatchObject({ code: 'server-cannot-listen' })
  expect(await answers(other)).toBe(true)
})

test('B11.13 where nobody asked for a port, the next free one is taken, and kept', async () => {
  const port = await taken()
  const made = door()
  const url = await made.open(at(port, '127.0.0.1', false))
  expect(Number(new URL(url).port)).toBeGreaterThan(port)
  expect(await made.open(at(port, '127.0.0.1', false))).toBe(url)
  // Now somebody asks for it.
  await expect(made.open(at(port))).rejects.toMatchObject({ code: 'server-cannot-listen' })
})
