import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { isDead, thisProcess } from './lease-process.ts'

const [place, pid, start] = JSON.parse(thisProcess()) as [string, number, string | null]
const text = (...parts: unknown[]) => JSON.stringify(parts)
const linux = process.platform === 'linux'

/** A number that no process has: one that has ended. */
async function ended(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'close')
  return child.pid as number
}

test('B7.4 a process is dead when no process has its number, and alive while one has', async () => {
  expect(isDead(thisProcess())).toBe(false)
  expect(isDead(text(place, await ended(), null))).toBe(true)
  expect(place).toContain(hostname())
  expect(pid).toBe(process.pid)
})

test('B7.4 of a process elsewhere, or of a text that is none, nobody knows', async () => {
  const number = await ended()
  expect(isDead(text(`${place}x`, number, null))).toBe(false)
  for (const odd of [text(place), text(place, `${number}`), text(place, -1), text(place, 0.5), '{}', '', 'null']) {
    expect(isDead(odd), odd).toBe(false)
  }
})

test.runIf(linux)('B7.4 a number that another process has by now is told by when it started', () => {
  // Who starts later has the greater number.
  const module = new URL('lease-process.ts', import.meta.url).href
  const code = `console.log((await import(${JSON.stringify(module)})).thisProcess())`
  const later = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  expect(Number(JSON.parse(later.stdout)[2]), later.stderr).toBeGreaterThan(Number(start))
  expect(isDead(text(place, pid, `${start}0`))).toBe(true)
  // Where nobody wrote down when it started the number is all that there is.
  expect(isDead(text(place, pid, null))).toBe(false)
})

test.runIf(linux)('B7.4 a process that has ended is dead also before its parent has looked', async () => {
  // The shell becomes a program that knows nothing of its child, and so never looks.
  const parent = spawn('bash', ['-c', 'true & echo $!; exec sleep 600'])
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const child = text(place, Number(String(line)), null)
  await expect.poll(() => isDead(child)).toBe(true)
  parent.kill('SIGKILL')
})

test.runIf(linux)('B7.4 machines of one name, and containers in one machine, are told apart', () => {
  expect(place).toMatch(/ [\da-f-]{36} pid:\[\d+\]$/)
})
