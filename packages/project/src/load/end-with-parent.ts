import { Worker } from 'node:worker_threads'

/** How often the thread looks, in milliseconds: an orphan lives no longer than that. */
const LOOK_MS = 500

/** On Windows a process keeps the number of its parent when that is gone, so it is asked whether there is such a process. */
const LOOK = `
const { workerData: { parent, everyMs } } = require('node:worker_threads')
const isThere = () => {
  try {
    return process.kill(parent, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
const look = () => {
  if (process.ppid !== parent || !isThere()) process.kill(process.pid, 'SIGKILL')
}
look()
setInterval(look, everyMs)
`

/**
 * Ends this process when its parent is gone, even in the middle of a loop that lets nothing else run: a parent that is killed can't end
 * anybody, and the end of the channel to it is heard only by who listens. `parent`: its process number, as it knows it itself.
 */
export function endWithParent(parent: number): void {
  const data = { parent, everyMs: LOOK_MS }
  // Nothing that was meant for this process, such as modules to be loaded first, is for the thread.
  const thread = new Worker(LOOK, { eval: true, workerData: data, execArgv: [], env: {} })
  thread.unref()
}
