import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const SIDES = ['ours', 'floor']

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url))

/** Starts a process for each side, gives them to `work`, and ends them whatever happens. */
export async function withSides(work) {
  const sides = SIDES.map((side) => startSide(side))
  try {
    return await work(sides)
  } finally {
    for (const { stop } of sides) stop()
  }
}

function startSide(side) {
  // Explicitly: a process that runs tests hands its own flags down.
  const child = fork(WORKER, [side], { execArgv: ['--expose-gc'], env: { ...process.env, NODE_OPTIONS: '' } })
  const ask = (operation, order) =>
    new Promise((resolve, reject) => {
      const exited = () => reject(new Error(`The process of "${side}" ended in the middle of ${operation}.`))
      child.once('exit', exited)
      child.once('message', ({ result, error }) => {
        child.off('exit', exited)
        if (error === undefined) resolve(result)
        else reject(new Error(error))
      })
      child.send({ operation, order })
    })
  return { side, ask, stop: () => child.kill() }
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
