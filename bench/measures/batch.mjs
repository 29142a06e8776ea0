import { median, withSides } from '../processes.mjs'

/**
 * The cost of runs in one or several shapes: `{ ours, floor }`, each `{ shape name: { cpu, first } }` with the medians over the
 * rounds. Within a round the sides take turns shape by shape.
 */
export function measureBatch({ mode, shapes, rounds, effort = 1 }) {
  const runsOf = (count) => Math.max(1, Math.round(count * effort))
  return withSides(async (sides) => {
    for (const { ask } of sides) {
      for (const { shape, warm } of Object.values(shapes)) await ask('warm', { shape, mode, runs: runsOf(warm) })
    }
    const samples = {}
    for (let round = 0; round < rounds; round++) {
      for (const [name, { shape, runs }] of Object.entries(shapes)) {
        for (const { side, ask } of inTurn(sides, round)) {
          const sample = await ask('batch', { shape, mode, runs: runsOf(runs) })
          samples[side] ??= {}
          samples[side][name] ??= []
          samples[side][name].push(sample)
        }
      }
    }
    return mapValues(samples, (byShape) => mapValues(byShape, medians))
  })
}

/** The side that goes first changes with each round. */
function inTurn(sides, round) {
  return round % 2 === 0 ? sides : sides.toReversed()
}

function medians(samples) {
  return { cpu: median(samples.map(({ cpu }) => cpu)), first: median(samples.map(({ first }) => first)) }
}

function mapValues(record, convert) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]))
}
