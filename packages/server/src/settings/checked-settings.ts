import { isRetinueError, RetinueError } from '@retinue/core/errors'
import { settingsInvalid } from '../errors/request-errors.ts'
import { isLoopback } from './loopback.ts'
import type { ServerSettings } from './settings.ts'

/** Settings with everything that has a default. */
export interface CheckedSettings extends Required<Omit<ServerSettings, 'token' | 'auth' | 'cors'>> {
  readonly token: string | undefined
  readonly auth: ServerSettings['auth']
  readonly cors: { readonly origins: readonly string[]; readonly credentials: boolean }
}

const KNOWN: Readonly<Record<keyof ServerSettings, true>> = {
  port: true,
  host: true,
  token: true,
  auth: true,
  allowedHosts: true,
  cors: true,
  middleware: true,
  bodyLimit: true,
  heartbeatMs: true,
  detachMs: true,
  shutdownMs: true,
}

const LEAST_TOKEN = 16
/** What proxies that give up soonest wait for. */
const LONGEST_SILENCE_MS = 15_000

/** Throws `server-settings-invalid` for settings of no server, `server-unprotected` for a server that anybody could use. */
export function checkedSettings(settings: ServerSettings = {}): CheckedSettings {
  assertSettings(settings)
  const { cors } = settings
  const checked: CheckedSettings = {
    port: settings.port ?? 4111,
    host: settings.host ?? '127.0.0.1',
    token: settings.token,
    auth: settings.auth,
    allowedHosts: (settings.allowedHosts ?? []).map((host) => host.toLowerCase()),
    cors: { origins: cors?.origins ?? [], credentials: cors?.credentials ?? false },
    middleware: settings.middleware ?? [],
    bodyLimit: settings.bodyLimit ?? 4 * 1024 * 1024,
    heartbeatMs: settings.heartbeatMs ?? LONGEST_SILENCE_MS,
    detachMs: settings.detachMs ?? 600_000,
    shutdownMs: settings.shutdownMs ?? 10_000,
  }
  assertProtected(checked)
  return checked
}

function assertProtected({ host, allowedHosts, token, auth }: CheckedSettings): void {
  if (token !== undefined || auth) return
  const open = [host, ...allowedHosts].find((each) => !isLoopback(each))
  if (open === undefined) return
  throw new RetinueError({
    code: 'server-unprotected',
    message: `The server would be open to everybody who can reach ${open}.`,
    hint: 'Set `token` or `auth` in server.ts, or leave `host` and `allowedHosts` to this machine.',
  })
}

/** What is wrong with settings, as a sentence and what to write; undefined if nothing is. */
export function settingsProblem(settings: unknown): { readonly message: string; readonly fix: string } | undefined {
  try {
    checkedSettings(settings as ServerSettings)
    return undefined
  } catch (thrown) {
    if (!isRetinueError(thrown)) throw thrown
    return { message: thrown.message, fix: thrown.hint ?? '' }
  }
}

function assertSettings(settings: ServerSettings): void {
  const given: unknown = settings
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw settingsInvalid('The settings of the server are no object.', 'export default serverConfig({ port: 4111 })')
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(KNOWN, key))
  if (unknown.length > 0)
    throw settingsInvalid(
      `The server has no setting ${unknown.map((key) => `"${key}"`).join(', ')}.`,
      `Known are ${Object.keys(KNOWN).join(', ')}.`,
    )
  assertNumbers(settings)
  if (settings.host !== undefined && (typeof settings.host !== 'string' || settings.host.trim() === ''))
    throw settingsInvalid('The setting host is no name.', "host: '127.0.0.1'")
  if (settings.token !== undefined && (typeof settings.token !== 'string' || settings.token.length < LEAST_TOKEN))
    throw settingsInvalid(
      `The setting token is not a text of at least ${LEAST_TOKEN} characters.`,
      'Make one: openssl rand -hex 32. Keep it in the environment: token: process.env.RETINUE_TOKEN',
    )
  if (settings.auth !== undefined && typeof settings.auth !== 'function')
    throw settingsInvalid('The setting auth is no function.', "auth: (request) => ({ resourceId: 'ada' })")
  assertLists(settings)
}

function assertLists({ allowedHosts, cors, middleware }: ServerSettings): void {
  if (allowedHosts !== undefined && !isNames(allowedHosts))
    throw settingsInvalid('The setting allowedHosts is no list of names.', "allowedHosts: ['agents.example.com']")
  if (cors !== undefined && !(typeof cors === 'object' && cors !== null && isNames(cors.origins)))
    throw settingsInvalid('The setting cors has no list of origins.', "cors: { origins: ['https://app.example.com'] }")
  const foreign = cors?.origins.find((origin) => !isOrigin(origin))
  if (foreign !== undefined)
    throw settingsInvalid(
      `"${foreign}" in cors.origins is no origin.`,
      "An origin has a scheme and a host, and no path: 'https://app.example.com'. There is no wildcard.",
    )
  if (
    middleware !== undefined &&
    !(Array.isArray(middleware) && middleware.every((each) => typeof each === 'function'))
  )
    throw settingsInvalid('The setting middleware is no list of functions.', 'middleware: [logger()]')
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '')
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

function assertNumbers(settings: ServerSettings): void {
  assertWhole('port', settings.port, 0, 65_535)
  assertWhole('bodyLimit', settings.bodyLimit, 1, Number.MAX_SAFE_INTEGER)
  assertWhole('heartbeatMs', settings.heartbeatMs, 1, LONGEST_SILENCE_MS)
  assertWhole('shutdownMs', settings.shutdownMs, 0, 2_147_483_647)
  if (settings.detachMs !== Number.POSITIVE_INFINITY) assertWhole('detachMs', settings.detachMs, 0, 2_147_483_647)
}

function assertWhole(name: string, value: unknown, least: number, most: number): void {
  if (value === undefined) return
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return
  throw settingsInvalid(`The setting ${name} is ${String(value)}.`, `It is a whole number from ${least} to ${most}.`)
}
