/** Keys that name a run's identity: they are never handed to a child, and entries under the prefix are the framework's own. */
const IDENTITY_KEYS: ReadonlySet<string> = new Set(['threadId', 'resourceId', 'runId'])
const RESERVED_PREFIX = 'retinue.'

/**
 * Values that belong to one request: tenant, locale, user. Tools, dynamic instructions, models and tools read it. A delegation
 * gets a shallow copy without identity keys: what a child or a sibling sets is seen nowhere else.
 */
export class RequestContext {
  readonly #entries: Map<string, unknown>
  /** Keys whose values no store may keep. */
  readonly #passing = new Set<string>()

  constructor(entries?: Iterable<readonly [string, unknown]>) {
    this.#entries = new Map(entries)
  }

  get<T = unknown>(key: string): T | undefined {
    return this.#entries.get(key) as T | undefined
  }

  /**
   * `persist: false`: the value is a secret, or worth nothing later. A run that waits for a person saves the key alone, and can only go
   * on in another process if it is given a value there. Default: true, and values that are plain JSON are saved.
   */
  set(key: string, value: unknown, { persist = true }: { persist?: boolean } = {}): this {
    this.#entries.set(key, value)
    if (persist) this.#passing.delete(key)
    else this.#passing.add(key)
    return this
  }

  /** Whether the value of a key may be saved. */
  persists(key: string): boolean {
    return !this.#passing.has(key)
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
  persists?(key: string): boolean
}

/** The child's copy of a context: the same values, none of the identity keys. */
export function forkContext(parent: RequestContextLike): RequestContext {
  const child = new RequestContext()
  for (const [key, value] of parent.entries()) {
    if (!IDENTITY_KEYS.has(key) && !key.startsWith(RESERVED_PREFIX))
      child.set(key, value, { persist: parent.persists?.(key) ?? true })
  }
  return child
}
