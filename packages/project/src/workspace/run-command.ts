import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { HeadAndTail } from './head-and-tail.ts'

export interface Command {
  readonly text: string
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** How much of each output is kept. */
  readonly outputBytes: number
  readonly signal: AbortSignal | undefined
}

export interface CommandResult {
  /** `null` if it was killed, or ended itself with a signal. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly note?: string
}

/** Something that left the group may hold the pipes open for ever: so long is waited for the rest of the output. */
const DRAIN_MS = 200

/**
 * Runs a command with the system's shell and waits for it. It has no input. When it ends, runs out of time or is aborted, it and
 * all that it started is killed as a group. Rejects with the signal's reason if it is aborted, and if there is no shell.
 */
export async function runCommand({ text, cwd, env, timeoutMs, outputBytes, signal }: Command): Promise<CommandResult> {
  signal?.throwIfAborted()
  const isWindows = process.platform === 'win32'
  // A group of its own, so that all of it can be killed at once.
  const child = spawn(text, { shell: true, cwd, env, detached: !isWindows, stdio: ['ignore', 'pipe', 'pipe'] })
  const outputs = [child.stdout, child.stderr].map((stream) => gather(stream, outputBytes))
  let isLate = false
  const kill = (): void => killGroup(child)
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, timeoutMs)
  signal?.addEventListener('abort', kill, { once: true })
  try {
    const closed = once(child, 'close')
    // Whether it ended or could not be started is told below.
    closed.catch(() => {})
    const [exitCode] = (await once(child, 'exit')) as [number | null]
    // What it left running in the background ends with it.
    kill()
    await drained(child, closed)
    signal?.throwIfAborted()
    const [stdout = '', stderr = ''] = outputs.map((output) => output.text())
    const note = isLate ? { note: `It took longer than ${timeoutMs} ms and was killed.` } : {}
    return { exitCode: isLate ? null : exitCode, stdout, stderr, ...note }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', kill)
  }
}

function gather(stream: Readable, limit: number): HeadAndTail {
  const output = new HeadAndTail(limit)
  stream.on('data', (chunk: Buffer) => output.push(chunk))
  // A pipe that breaks is one that says no more.
  stream.on('error', () => {})
  return output
}

async function drained(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS)
  })
  await Promise.race([closed, late])
  clearTimeout(timer)
  child.stdout?.destroy()
  child.stderr?.destroy()
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => {})
    return
  }
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of the group is left.
  }
}
