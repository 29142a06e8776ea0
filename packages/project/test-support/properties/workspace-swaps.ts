import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { RootedFiles } from '../../src/workspace/rooted-files.ts'
import {
  fileOperations,
  guardedWorkspace,
  type Operation,
  outcomeOf,
  seedOperation,
  toolOperations,
} from '../guarded-workspace.ts'
import { assert, type Property } from '../property.ts'

/** Another thread that never stops to swap a folder, and a file, for a link to the outside. */
const SWAPPER = `
const { lstatSync, renameSync, rmSync, symlinkSync } = require('node:fs')
const { workerData: { root, outside, stop } } = require('node:worker_threads')
const tried = (act) => { try { act(); return true } catch { return false } }
const move = (from, to) => tried(() => renameSync(root + '/' + from, root + '/' + to))
const swap = (name, target) => {
  const link = name + '-to-be'
  tried(() => symlinkSync(target, root + '/' + link))
  const parked = move(name, 'parked')
  move(link, name)
  move(name, link)
  if (parked && !move('parked', name)) rmSync(root + '/parked', { recursive: true, force: true })
}
while (Atomics.load(stop, 0) === 0) {
  swap('swapped', outside)
  swap('file.txt', outside + '/secret.txt')
}`

const ITERATIONS = 100

const INSIDE = new TextEncoder().encode('inside')

/** R14: a link that takes a folder's or a file's place between the check and the use leads nowhere. Only Linux can promise it. */
export const workspaceSwaps: Property = {
  name: 'R14',
  unit: `races of ${ITERATIONS} operations`,
  async check(random, tally) {
    using guarded = guardedWorkspace()
    const { root, outside } = guarded
    mkdirSync(join(root, 'swapped'))
    for (const name of ['swapped/secret.txt', 'file.txt']) writeFileSync(join(root, name), 'inside')
    symlinkSync(outside, join(root, 'swapped-to-be'))
    const stop = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(SWAPPER, { eval: true, workerData: { root, outside, stop } })
    await new Promise((resolve) => worker.once('online', resolve))
    const files = new RootedFiles(root)
    const operations: [string, Operation][] = [
      ...Object.entries(fileOperations(root, false)),
      ...Object.entries(toolOperations(root)),
      ['seeding', seedOperation(root, join(root, '../copy'))],
    ]
    try {
      for (let n = 0; n < ITERATIONS; n++) {
        const [name, operation] = random.pick(operations)
        const path = random.pick([
          'swapped/secret.txt',
          'swapped',
          'swapped/deep/b.txt',
          'file.txt',
          'swapped/new.txt',
          '',
        ])
        const { code, told } = await outcomeOf(() => operation(path))
        tally(code)
        const breach = guarded.breach(told)
        assert(breach === undefined, () => `${name} of "${path}": ${breach}`)
        // What was deleted must be there again to be raced for; these are races themselves.
        await outcomeOf(() => files.write('swapped/secret.txt', INSIDE))
        await outcomeOf(() => files.write('file.txt', INSIDE))
        await outcomeOf(() => files.create('file.txt', INSIDE))
      }
    } finally {
      Atomics.store(stop, 0, 1)
      await new Promise((resolve) => worker.once('exit', resolve))
    }
    const breach = guarded.breach()
    assert(breach === undefined, () => `at the end: ${breach}`)
  },
}
