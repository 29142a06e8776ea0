import { writeSync } from 'node:fs'
import { RetinueError } from '@retinue/core/errors'
import { EXIT } from '../exit-codes.ts'
import { errorText } from './run-end.ts'

/** Errors that reach the process and nobody else, because a tool left work behind that nobody waits for. */
export interface StrayErrors {
  /** Rejects with `stray-exception` when the process can't be trusted to go on. */
  readonly fatal: Promise<never>
  /** Says that the work is over: from now on the process may end. What tools left behind is still watched. */
  finished(): void
}

/**
 * Watches for errors that nobody handles. A rejected promise is told once on stderr, and whatever runs goes on: nothing was waiting
 * for it. Who ends the process in the middle of a run does not make it look finished. After an exception in a callback nobody knows what
 * was left half done, so `fatal` rejects; what that comes to is `consequence`.
 */
export function watchStrayErrors(
  err: (text: string) => void,
  consequence: string = 'The run was given up.',
): StrayErrors {
  const fatal = Promise.withResolvers<never>()
  // Whoever races against it handles the rejection; it must not be a stray one itself.
  fatal.promise.catch(() => {})
  const told = new Set<string>()
  const rejected = (reason: unknown): void => {
    const error = strayRejection(reason)
    if (told.has(error.message)) return
    told.add(error.message)
    err(errorText(error))
  }
  // Nothing asynchronous happens any more: the text is written at once, and the exit code is what is left to set.
  const ended = (): void => {
    writeSync(process.stderr.fd, errorText(strayExit()))
    process.exitCode = EXIT.failed
  }
  const thrown = (error: unknown): void => fatal.reject(strayException(error, consequence))
  process.on('unhandledRejection', rejected)
  process.on('uncaughtException', thrown)
  process.on('exit', ended)
  return {
    fatal: fatal.promise,
    finished: () => void process.removeListener('exit', ended),
  }
}

function strayExit(): RetinueError {
  return new RetinueError({
    code: 'stray-exit',
    message: 'Something in the project ended the process before the run had ended.',
    hint: 'A tool must not call process.exit: let it throw, or return what is wrong.',
  })
}

function strayRejection(cause: unknown): RetinueError {
  return new RetinueError({
    code: 'stray-rejection',
    message: `A promise was rejected, and nothing handled it: ${describe(cause)}. The run goes on.`,
    hint: 'Await the promise where it is made, in the tool or what it calls, or give it a catch.',
    cause,
  })
}

function strayException(cause: unknown, consequence: string): RetinueError {
  return new RetinueError({
    code: 'stray-exception',
    message: `A callback threw, and nothing caught it: ${describe(cause)}. ${consequence}`,
    hint: 'Catch it in the callback (a timer, an event listener) of the tool that set it up.',
    cause,
  })
}

/** What was thrown, and the innermost place of the person's own code in its stack. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return oneLine(typeof thrown === 'string' ? thrown : inspected(thrown))
  const place = /((?:file:\/\/)?\/[^\s()]*?|[A-Za-z]:\\[^\s()]*?):(\d+):\d+\)?$/m
  const own = (thrown.stack ?? '').split('\n').find((line) => place.test(line) && !/node_modules|node:/.test(line))
  const [, file, line] = own === undefined ? [] : (place.exec(own) ?? [])
  const at = file === undefined ? '' : ` (${relative(file)}:${line})`
  return `${oneLine(thrown.message === '' ? thrown.name : `${thrown.name}: ${thrown.message}`)}${at}`
}

function relative(file: string): string {
  const path = file.replace(/^file:\/\//, '')
  return path.startsWith(`${process.cwd()}/`) ? path.slice(process.cwd().length + 1) : path
}

function inspected(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return 'an object'
  }
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .replace(/\.$/, '')
}
