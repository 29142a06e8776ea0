import { test } from 'vitest'
import { type Property, Random } from './core.ts'

/** A property of one long case: as `deep`, without its limit on how long a case may take. */
export function longRun({ name, unit, check }: Property): void {
  const seed = Number(process.env['SEED'])
  test(`${name} 1 ${unit}`, async ({ task }) => {
    const kinds: Record<string, number> = {}
    task.meta.deep = { name, unit, seed, count: 1, kinds }
    await check(new Random(seed), (kind, more = 1) => {
      kinds[kind] = (kinds[kind] ?? 0) + more
    })
  })
}
