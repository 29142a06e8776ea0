import { type FSWatcher, watch } from 'node:fs'
import { isRetinueError } from '@retinue/core/errors'
import { expect, onTestFinished, test } from 'vitest'
import { tempProject } from '../../test-support/temp-project.ts'
import { FolderWatcher } from './folder-watcher.ts'

/** Watches as many folders as there is room for, then fails as the system does. */
function limited(room: number, code: string): { start: typeof watch; closed: () => number } {
  let started = 0
  let closed = 0
  const start = ((path: string) => {
    if (started++ >= room) throw Object.assign(new Error(`${code}: watch`), { code })
    return watch(path).once('close', () => closed++)
  }) as typeof watch
  return { start, closed: () => closed }
}

test.each([
  ['ENOSPC', 'fs.inotify.max_user_watches'],
  ['EMFILE', 'fs.inotify.max_user_instances'],
])(
  'B11.13 where no more folders can be watched (%s), that is a typed error that says what to raise',
  async (code, limit) => {
    const root = tempProject({ 'a/x.ts': '', 'b/x.ts': '' })
    const { start, closed } = limited(1, code)
    const watcher = new FolderWatcher(() => {}, start)
    onTestFinished(() => watcher.close())
    const error = thrownBy(() => watcher.watch([{ path: `${root}/a` }, { path: `${root}/b` }]))
    if (!isRetinueError(error, 'watch-limit')) throw new Error('no typed error', { cause: error })
    expect(error).toMatchObject({ hint: expect.stringContaining(limit), data: { code, path: `${root}/b` } })
    // What was watched till then is let go with the rest.
    watcher.close()
    await expect.poll(closed).toBe(1)
  },
)

test('a folder that is not there is left out, and what else goes wrong is thrown as it is', () => {
  const root = tempProject({ 'a/x.ts': '' })
  const folders = [{ path: `${root}/a` }]
  new FolderWatcher(() => {}, limited(0, 'ENOENT').start).watch(folders)
  expect(thrownBy(() => new FolderWatcher(() => {}, limited(0, 'EIO').start).watch(folders))).toMatchObject({
    code: 'EIO',
  })
})

test('B11.13 a folder that says that it went is told of and watched anew, even where another one has its inode', () => {
  const root = tempProject({ 'a/x.ts': '' })
  const started: FSWatcher[] = []
  const start = ((path: string) => {
    const watcher = watch(path)
    started.push(watcher)
    return watcher
  }) as typeof watch
  let told = 0
  const watcher = new FolderWatcher(() => told++, start)
  onTestFinished(() => watcher.close())
  const folders = [{ path: `${root}/a`, names: new Set(['x.ts']) }]
  watcher.watch(folders)
  started[0]?.emit('change', 'rename', 'other.ts')
  watcher.watch(folders)
  expect([told, started.length]).toEqual([0, 1])
  started[0]?.emit('change', 'rename', 'a')
  watcher.watch(folders)
  expect([told, started.length]).toEqual([1, 2])
})

function thrownBy(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
