import { type ErrorCode, RetinueError } from '@retinue/core/errors'
import type { DatabaseOptions } from './database-options.ts'

const OPTIONS: Readonly<Record<keyof DatabaseOptions, true>> = {
  id: true,
  url: true,
  authToken: true,
  lockTimeoutMs: true,
  wrapClient: true,
}
const SCHEMES: ReadonlySet<string> = new Set(['file', 'libsql', 'https', 'http', 'wss', 'ws'])
const EXAMPLE = "{ id: 'app', url: 'file:./x.db' }"
const URL_HINT =
  "Write `url: 'file:./x.db'` for a file, `url: ':memory:'` for none, or the address of a database elsewhere (libsql:, https:, http:, wss:, ws:)."

/** Throws `option-invalid` or `option-unknown` for options that make no store. */
export function assertOptions(given: unknown): asserts given is DatabaseOptions {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('options', 'must be an object', `Write ${EXAMPLE}.`)
  assertKnown(given)
  const { id, url, authToken, lockTimeoutMs, wrapClient } = given as { [Name in keyof DatabaseOptions]?: unknown }
  if (typeof id !== 'string' || id === '')
    throw invalid('id', 'must be a text that names the store in errors', `Write ${EXAMPLE}.`)
  assertUrl(url)
  if (authToken !== undefined && typeof authToken !== 'string')
    throw invalid('authToken', 'must be a text', 'Leave it out for a file.')
  if (lockTimeoutMs !== undefined && !(Number.isFinite(lockTimeoutMs) && (lockTimeoutMs as number) >= 0))
    throw invalid('lockTimeoutMs', 'must be a number of milliseconds from 0 on', 'Write `lockTimeoutMs: 5000`.')
  if (wrapClient !== undefined && typeof wrapClient !== 'function')
    throw invalid('wrapClient', 'must be a function', 'Leave it out: it is for tests.')
}

/** An address may hold secrets: of one that is refused, no more than its scheme is told. */
function assertUrl(url: unknown): void {
  if (typeof url !== 'string' || url === '')
    throw invalid('url', 'must be a text that says where the database is', URL_HINT)
  if (url === ':memory:') return
  // A letter alone is a drive.
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(url)?.[1]
  if (scheme === undefined) throw invalid('url', 'is a path alone, and must begin with `file:`', URL_HINT)
  if (!SCHEMES.has(scheme)) throw invalid('url', `begins with \`${scheme}:\`, which is not supported`, URL_HINT)
  if (scheme === 'file' ? /^file:(?:[?#]|$)/.test(url) : !URL.parse(url)?.host)
    throw invalid('url', `begins with \`${scheme}:\` and names no database`, URL_HINT)
}

function assertKnown(options: object): void {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(OPTIONS, name))
  if (unknown.length === 0) return
  const message = `The store has options that are not known: ${unknown.join(', ')}.`
  const hint = `Known are ${Object.keys(OPTIONS).join(', ')}, as in ${EXAMPLE}.`
  throw refused('option-unknown', message, hint, { options: unknown })
}

/** `what` says what is wrong with the option: "must be a text". */
function invalid(option: string, what: string, hint: string): RetinueError {
  return refused('option-invalid', `The store's option \`${option}\` ${what}.`, hint, { option })
}

function refused(code: ErrorCode, message: string, hint: string, data: Record<string, unknown>): RetinueError {
  return new RetinueError({ code, message, hint, data })
}
