import { RetinueError } from '@retinue/core/errors'
import type { CheckedSettings } from '../settings/checked-settings.ts'

/** Methods with which a page can bring something about. */
const CHANGES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Throws `origin-refused` for what the page of another origin asks, unless the settings list it. Programs send no origin. */
export function assertOrigin(request: Request, { cors }: CheckedSettings): void {
  const origin = request.headers.get('origin')
  if (origin !== null && !isSame(origin, request) && !cors.origins.includes(origin)) throw refused()
  const isForeign = request.headers.get('sec-fetch-site') === 'cross-site'
  if (origin === null && isForeign && CHANGES.has(request.method)) throw refused()
}

/** By the name that was called, which was checked before; a server behind a proxy does not know whether that speaks TLS. */
function isSame(origin: string, request: Request): boolean {
  if (!URL.canParse(origin)) return false
  const { host, protocol } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  const called = `${protocol}//${request.headers.get('host') ?? new URL(request.url).host}`
  return URL.canParse(called) && host === new URL(called).host
}

function refused(): RetinueError {
  return new RetinueError({
    code: 'origin-refused',
    message: 'Pages of other origins may not call the server.',
    hint: 'List the origin in cors.origins of server.ts.',
  })
}
