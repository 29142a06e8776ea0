import { setImmediate as tick } from 'node:timers/promises'
import type { Storage } from '../src/storage/storage.ts'

/** One of several processes could have gone on, and this one did. */
export interface Choice {
  readonly among: number
  readonly picked: number
}

/** Decides which of several processes makes its next call of the storage that they share. */
export class Steps {
  readonly choices: Choice[] = []
  readonly #picks: readonly number[]
  readonly #waiting = new Map<number, () => void>()

  #last = -1

  /** `picks`: who goes on at each choice; after them it is the other one's turn, so that nobody waits for ever. */
  constructor(picks: readonly number[]) {
    this.#picks = picks
  }

  /** The storage as the process of this number has it. */
  storage(process: number, shared: Storage): Storage {
    const stepping = <Domain extends object>(domain: Domain): Domain =>
      new Proxy(domain, {
        get: (target, key) => {
          const member: unknown = Reflect.get(target, key)
          if (typeof member !== 'function') return member
          return async (...values: unknown[]) => {
            await this.#step(process)
            return Reflect.apply(member, target, values)
          }
        },
      })
    const { id, threads, workingMemory, runs, approvals, tasks } = shared
    return {
      ...{ id, threads, workingMemory },
      ...{ runs: stepping(runs), approvals: stepping(approvals), tasks: stepping(tasks) },
      close: async () => {},
    }
  }

  /** Lets the processes make one step after the other until the work is done. */
  async until(work: Promise<unknown>): Promise<void> {
    let isDone = false
    work.finally(() => {
      isDone = true
    })
    for (;;) {
      // What follows from the step before has happened by then.
      await tick()
      await tick()
      if (isDone) return
      const able = [...this.#waiting.keys()].toSorted()
      if (able.length === 0) continue
      const who = able.length === 1 ? able[0] : able[this.#pick(able)]
      this.#last = who as number
      const go = this.#waiting.get(who as number)
      this.#waiting.delete(who as number)
      go?.()
    }
  }

  #pick(able: readonly number[]): number {
    const others = able.findIndex((process) => process !== this.#last)
    const picked = this.#picks[this.choices.length] ?? others
    this.choices.push({ among: able.length, picked })
    return picked
  }

  /** One process makes one step at a time: whoever comes second in it waits for the first. */
  async #step(process: number): Promise<void> {
    while (this.#waiting.has(process)) await tick()
    await new Promise<void>((go) => this.#waiting.set(process, go))
  }
}

/** Tries all picks of the first `depth` choices: `run` gives the choices that there were. */
export async function everyOrder(
  depth: number,
  run: (picks: readonly number[]) => Promise<readonly Choice[]>,
): Promise<number> {
  let orders = 0
  const open: (readonly number[])[] = [[]]
  for (let picks = open.pop(); picks; picks = open.pop()) {
    const choices = await run(picks)
    orders += 1
    const made = choices.map(({ picked }) => picked)
    for (const [at, { among, picked }] of choices.entries()) {
      if (at < picks.length || at >= depth) continue
      for (let other = 0; other < among; other++) if (other !== picked) open.push([...made.slice(0, at), other])
    }
  }
  return orders
}
