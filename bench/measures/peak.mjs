import { median, SIDES, withSides } from '../processes.mjs'

/** By how many MB runs of a shape outgrow a process that ran small ones; `{ ours, floor }`, each `{ peak }`, in fresh processes. */
export async function measurePeak({ mode, small, shape, runs, rounds }) {
  const peaks = { ours: [], floor: [] }
  for (let round = 0; round < rounds; round++) {
    await withSides(async (sides) => {
      for (const { side, ask } of sides) peaks[side].push((await ask('peak', { small, shape, mode, runs })).peak)
    })
  }
  return Object.fromEntries(SIDES.map((side) => [side, { peak: median(peaks[side]) }]))
}
