import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

/** What npm remembers of what it installed, in the folder into which it installed. */
const REMEMBERED = 'node_modules/.package-lock.json'

/** A file of a registry: `/name/-/name-1.0.0.tgz`, in some with the scope before it, and of GitHub's `/download/@scope/name/1.0.0/HASH`. */
const OF_REGISTRY =
  /^https?:.*(?:\/-\/(?:(?:@|%40)[^/]+\/)?[^/]+\.tgz$|\/download\/(?:@|%40)[^/]+\/[^/]+\/[^/]+\/[0-9a-f]+$)/i

/** Who asks, in a URL: `USER@` or `USER:PASSWORD@` before the host. */
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i

/** Where packages came from that no registry has, or not the same: a folder, a tarball, a repository. */
export class InstalledFrom {
  readonly #remembered = new Map<string, Readonly<Record<string, unknown>> | undefined>()

  /**
   * What a package.json in `root` lists to have the package of a folder installed from where it came; undefined for one of a registry,
   * and where npm did not install it.
   */
  source(dir: string, root: string): string | undefined {
    for (let from = dirname(dir); ; from = dirname(from)) {
      const resolved = this.#resolved(from, relative(from, dir).replaceAll(sep, '/'))
      if (resolved?.startsWith('file:')) return fileIn(root, resolve(from, resolved.slice('file:'.length)))
      if (resolved !== undefined) return OF_REGISTRY.test(resolved) ? undefined : withoutSecrets(resolved)
      if (dirname(from) === from) return undefined
    }
  }

  #resolved(folder: string, place: string): string | undefined {
    const file = join(folder, REMEMBERED)
    if (!this.#remembered.has(file)) this.#remembered.set(file, packagesIn(file))
    const entry = this.#remembered.get(file)?.[place]
    const resolved = isRecord(entry) ? entry['resolved'] : undefined
    return typeof resolved === 'string' ? resolved : undefined
  }
}

/** Where it is installed, whoever installs it is asked for credentials anew. A user of SSH is no secret, and the host needs it. */
function withoutSecrets(url: string): string {
  return url.replace(CREDENTIALS, (_, scheme: string, who: string) => {
    const user = who.split(':', 1)[0] ?? ''
    return /ssh:/i.test(scheme) && user !== '' ? `${scheme}${user}@` : scheme
  })
}

/** A file or folder, as a package.json in another folder lists it. */
function fileIn(folder: string, path: string): string {
  return `file:${relative(folder, path).replaceAll(sep, '/')}`
}

/** The same where the package.json stands in another folder. */
export function movedFile(source: string, from: string, to: string): string {
  return source.startsWith('file:') ? fileIn(to, resolve(from, source.slice('file:'.length))) : source
}

/** What on this machine a package is installed from, as a package.json lists it; undefined for what comes from elsewhere. */
export function localPath(source: string): string | undefined {
  return /^(?:file:|git\+file:(?:\/\/)?)([^#]*)/.exec(source)?.[1]
}

/** What can't be read says nothing: npm makes it anew. */
function packagesIn(file: string): Readonly<Record<string, unknown>> | undefined {
  if (!existsSync(file)) return undefined
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const packages = isRecord(parsed) ? parsed['packages'] : undefined
    return isRecord(packages) ? packages : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
