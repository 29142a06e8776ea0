import { availableParallelism, loadavg } from 'node:os'
import { child } from '../child.ts'
import { assert, type Property } from '../core.ts'
import { checkedIds } from '../integrity.ts'
import { tempFolder } from '../temp-folder.ts'

export interface Writers {
  readonly processes: number
  readonly writers: number
  readonly messages: number
  /**
   * How long, in milliseconds, all but one write in a hundred may take. It is judged only where the machine had nothing else to do when
   * it began, and is told anyway: writers whose process does not get the processor are slow whatever the store does.
   */
  readonly p99?: number
}

/** R23: processes that write to one file at once get no lock error, lose nothing, and each finds its messages in its own order. */
export function manyWriters({ processes, writers, messages, p99 }: Writers): Property {
  return {
    name: 'R23',
    unit: `runs of ${processes} processes × ${writers} writers × ${messages} messages`,
    check: async (_random, tally) => {
      using folder = tempFolder()
      const url = folder.file()
      const names = Array.from({ length: processes }, (_none, n) => `p${n}`)
      const idle = (loadavg()[0] ?? 0) < availableParallelism()
      const start = performance.now()
      const children = names.map((name) => child('writing-process.ts', { url, name, writers, messages, tell: false }))
      // A lock error, as any, ends a process with an error.
      await Promise.all(children.map(({ ended }) => ended))
      const seconds = (performance.now() - start) / 1000
      const ids = await checkedIds(url)
      assert(ids.length === processes * writers * messages, () => `${ids.length} messages are there`)
      const next = new Map<string, number>()
      for (const id of ids) {
        const [name, writer, n] = id.split('.')
        const own = `${name}.${writer}`
        assert(Number(n) === (next.get(own) ?? 0), () => `${id} comes where ${next.get(own) ?? 0} should`)
        next.set(own, Number(n) + 1)
      }
      const times = children.map(
        ({ lines }) => JSON.parse(lines.at(-1) as string) as Record<'p50' | 'p99' | 'most', number>,
      )
      const worst = (which: 'p50' | 'p99' | 'most') => Math.ceil(Math.max(...times.map((time) => time[which])))
      tally('messages', ids.length)
      tally('messages a second', Math.round(ids.length / seconds))
      for (const which of ['p50', 'p99', 'most'] as const) tally(`ms ${which}`, worst(which))
      if (!idle) tally('busy machine, p99 not judged')
      assert(
        p99 === undefined || !idle || worst('p99') < p99,
        () => `one write in a hundred took over ${worst('p99')} ms`,
      )
    },
  }
}
