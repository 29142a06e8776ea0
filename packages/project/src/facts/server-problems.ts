import type { SettingsProblem } from '../workspace/settings-problems.ts'

const LEAST_TOKEN = 16

/** What numbers of a server may be, from the least to the most. */
const NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  port: [0, 65_535],
  bodyLimit: [1, Number.MAX_SAFE_INTEGER],
  heartbeatMs: [1, 15_000],
  shutdownMs: [0, 2_147_483_647],
  detachMs: [0, 2_147_483_647],
}

/**
 * What is wrong with the values of settings of a server, as `@retinue/server` says it when it starts; a test there holds the two together.
 * Whom it is open to is judged when the server starts, and so is an empty text, and no number: a variable of the environment that is
 * missing while the project is checked may be behind it.
 */
export function serverProblems(settings: Readonly<Record<string, unknown>>): readonly SettingsProblem[] {
  const { host, token, auth, middleware } = settings
  return [
    ...Object.entries(NUMBERS).flatMap(([name, [least, most]]) => numberProblems(name, settings[name], least, most)),
    ...(isMissing(host) || (typeof host === 'string' && host.trim() !== '')
      ? []
      : [problem('host', 'is no name', "write host: '127.0.0.1'")]),
    ...(isMissing(token) || (typeof token === 'string' && token.length >= LEAST_TOKEN) ? [] : [TOKEN]),
    ...(auth === undefined || typeof auth === 'function'
      ? []
      : [problem('auth', 'is no function', "write auth: (request) => ({ resourceId: 'ada' })")]),
    ...nameProblems(settings['allowedHosts']),
    ...corsProblems(settings['cors']),
    ...(middleware === undefined ||
    (Array.isArray(middleware) && middleware.every((each) => typeof each === 'function'))
      ? []
      : [problem('middleware', 'is no list of functions', 'write middleware: [logger()]')]),
  ]
}

/** It is not shown: it may be one. */
const TOKEN = problem(
  'token',
  `is not a text of at least ${LEAST_TOKEN} characters`,
  'make one: openssl rand -hex 32, and keep it in the environment: token: process.env.RETINUE_TOKEN',
)

function numberProblems(name: string, value: unknown, least: number, most: number): readonly SettingsProblem[] {
  if (value === undefined || Number.isNaN(value)) return []
  if (name === 'detachMs' && value === Number.POSITIVE_INFINITY) return []
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
  return fits ? [] : [problem(name, 'is out of its range', `write a whole number from ${least} to ${most}`)]
}

function nameProblems(value: unknown): readonly SettingsProblem[] {
  if (value === undefined || isNames(value)) return []
  return [problem('allowedHosts', 'is no list of names', "write allowedHosts: ['agents.example.com']")]
}

function corsProblems(cors: unknown): readonly SettingsProblem[] {
  if (cors === undefined) return []
  const origins = typeof cors === 'object' && cors !== null && 'origins' in cors ? cors.origins : undefined
  if (!isNames(origins))
    return [problem('cors', 'has no list of origins', "write cors: { origins: ['https://app.example.com'] }")]
  const fix = "write a scheme and a host, and no path: 'https://app.example.com'; there is no wildcard"
  return origins
    .filter((origin) => origin !== '' && !isOrigin(origin))
    .map((origin) => ({ path: ['cors', 'origins'], message: `"${origin}" in cors.origins is no origin`, fix }))
}

/** An empty name may be a variable that is missing. */
function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === ''
}

function problem(name: string, what: string, fix: string): SettingsProblem {
  return { path: [name], message: `the setting ${name} ${what}`, fix }
}
