/** Keys that name a run's identity: they are never handed to a child, and entries under the prefix are the framework's own. */
const IDENTITY_KEYS: ReadonlySet<string> = new Set(['threadId', 'resourceId', 'runId'])
const RESERVED_PREFIX = 'retinue.'

/**
 * Values that belong to one request: tenant, locale, user. Tools, dynamic instructions, models and tools read it. A delegation
 * gets a shallow copy without identity keys: what a child or a sibling sets is seen nowhere else.
 */
export class RequestContext {
  readonly #entries: Map<string, unknown>

  constructor(entries?: Iterable<readonly [string, unknown]>) {
    this.#entries = new Map(entries)
  }

  get<T = unknown>(key: string): T | undefined {
    return this.#entries.get(key) as T | undefined
  }

  set(key: string, value: unknown): this {
    this.#entries.set(key, value)
    return this
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  get size(): number {
    return this.#entries.size
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys()
  }

  entries(): IterableIterator<[string, unknown]> {
    return this.#entries.entries()
  }

  [Symbol.iterator](): IterableIterator<[string, unknown]> {
    return this.#entries.entries()
  }
}

/** What the loop needs of a request context; a context of another copy of this package has it too. */
export interface RequestContextLike {
  get(key: string): unknown
  set(key: string, value: unknown): unknown
  entries(): Iterable<readonly [string, unknown]>
}

/** The child's copy of a context: the same values, none of the identity keys. */
export function forkContext(parent: RequestContextLike): RequestContext {
  const child = new RequestContext()
  for (const [key, value] of parent.entries()) {
    if (!IDENTITY_KEYS.has(key) && !key.startsWith(RESERVED_PREFIX)) child.set(key, value)
  }
  return child
}
