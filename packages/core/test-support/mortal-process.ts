import type { Storage } from '../src/storage/storage.ts'

/** What stands for a process: when it has died nothing that it was doing goes on, and nothing that it asked for is answered. */
export class MortalProcess {
  /** Called when it dies. */
  onDeath: () => void = () => {}
  #alive = true
  #writes = 0
  #last: { readonly at: number; readonly when: 'before' | 'after' } | undefined

  get alive(): boolean {
    return this.#alive
  }

  /** The writes that it has begun. */
  get writes(): number {
    return this.#writes
  }

  die(): void {
    this.#alive = false
    this.onDeath()
  }

  /** Dies at the `at`th write from now on, counted from 1. */
  dieAt(at: number, when: 'before' | 'after'): void {
    this.#last = { at: this.#writes + at, when }
  }

  /** For the bodies of models and tools: goes on if the process lives, and never else. */
  async living<T>(body: () => T | Promise<T>): Promise<T> {
    if (!this.#alive) return never()
    const result = await body()
    return this.#alive ? result : never()
  }

  /** A storage as this process has it: shared with others, but for what it remembers of its own. */
  storage(shared: Storage): Storage {
    const { id, close } = shared
    return {
      id,
      close: () => close.call(shared),
      threads: this.#within(shared.threads),
      workingMemory: this.#within(shared.workingMemory),
      runs: this.#within(shared.runs),
      approvals: this.#within(shared.approvals),
      tasks: this.#within(shared.tasks),
    }
  }

  #within<Domain extends object>(domain: Domain): Domain {
    return new Proxy(domain, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key)
        if (typeof member !== 'function') return member
        const call = (...values: unknown[]) => Reflect.apply(member, target, values) as Promise<unknown>
        return (...values: unknown[]) => this.#call(READS.has(String(key)), () => call(...values))
      },
    })
  }

  #call(reads: boolean, call: () => Promise<unknown>): Promise<unknown> {
    if (reads) return this.living(call)
    this.#writes += 1
    const isLast = this.#last?.at === this.#writes
    if (isLast && this.#last?.when === 'before') this.die()
    return this.living(async () => {
      const result = await call()
      if (isLast) this.die()
      return result
    })
  }
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'listMessages', 'search', 'recall', 'messages', 'shared'])

function never(): Promise<never> {
  return new Promise(() => {})
}
