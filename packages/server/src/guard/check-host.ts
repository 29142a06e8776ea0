import { RetinueError } from '@retinue/core/errors'
import type { CheckedSettings } from '../settings/checked-settings.ts'
import { isAddress, isLoopback } from '../settings/loopback.ts'

/**
 * Throws `host-refused` for a request that was sent to another name than the server's. A foreign page can bring its own name to point
 * here, and would then be of the same origin as the server; it can't choose what stands in `Host`.
 */
export function assertHost(request: Request, settings: CheckedSettings): void {
  const host = hostOf(request)
  if (host !== undefined && isAllowed(host, settings)) return
  throw new RetinueError({
    code: 'host-refused',
    message: 'The server is not called by that name.',
    hint: 'Call it by the address that it listens on, or list the name in allowedHosts of server.ts.',
  })
}

function isAllowed(host: string, { host: own, allowedHosts }: CheckedSettings): boolean {
  if (isLoopback(host) || allowedHosts.includes(host)) return true
  if (isLoopback(own)) return false
  // One that other machines reach is called by its address too: no page is at an address by a name of its own.
  return host === own.toLowerCase() || isAddress(host)
}

/** The name that was called, without its port; of a header that is none, undefined. */
function hostOf(request: Request): string | undefined {
  const { host } = new URL(request.url)
  const given = request.headers.get('host') ?? host
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(given)
  if (!URL.canParse(`http://${given}`)) return undefined
  return match?.[1]?.toLowerCase().replace(/\.$/, '')
}
