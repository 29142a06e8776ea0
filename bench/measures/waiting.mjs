import { median, SIDES, withSides } from '../processes.mjs'

/** KB of heap of a run that waits for a model; `{ ours, floor }`, each `{ held }`. */
export function measureWaiting({ shape, runs, rounds }) {
  return withSides(async (sides) => {
    const held = { ours: [], floor: [] }
    for (let round = 0; round < rounds; round++) {
      for (const { side, ask } of sides) held[side].push((await ask('waiting', { shape, runs })).held)
    }
    return Object.fromEntries(SIDES.map((side) => [side, { held: median(held[side]) }]))
  })
}
