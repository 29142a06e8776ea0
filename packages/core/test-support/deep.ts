import { test } from 'vitest'
import { holds, type Property } from './property.ts'

/** What the reporter of `npm run test:deep` tells of a property. */
export interface DeepRun {
  readonly name: string
  readonly count: number
  readonly unit: string
  readonly seed: number
  /** How many cases there were of which kind. */
  kinds: Readonly<Record<string, number>>
}

declare module 'vitest' {
  interface TaskMeta {
    deep?: DeepRun
  }
}

/** Checks `count` cases of the run's seed: `SEED`, which vitest.deep.config.ts chooses where nobody gave one. `CASE` is one case alone. */
export function deep(property: Property, count: number): void {
  const { name, unit, limitMs } = property
  // What has cases that take long may take long in all.
  const options = limitMs === undefined ? {} : { timeout: limitMs * count }
  const seed = Number(process.env['SEED'])
  const only = process.env['CASE']
  test(`${name} ${count} ${unit}`, options, async ({ task }) => {
    const run: DeepRun = { name, unit, seed, count: only === undefined ? count : 1, kinds: {} }
    task.meta.deep = run
    run.kinds = await holds(property, { seed, count, ...(only === undefined ? {} : { only: Number(only) }) })
  })
}
