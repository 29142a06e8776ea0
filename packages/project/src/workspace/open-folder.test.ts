import { closeSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRetinueError } from '@retinue/core/errors'
import { expect, test } from 'vitest'
import { tempProject } from '../../test-support/temp-project.ts'
import { folderOpener, type OpenFolder } from './open-folder.ts'

const TARGET = { path: 'deep/a.txt', verb: 'written' } as const

interface Swapping {
  readonly root: string
  readonly outside: string
  /** Puts a link to the outside in the place of the folder. */
  readonly swap: () => void
}

function swapping(): Swapping {
  const top = tempProject({ 'root/deep/a.txt': 'inside', 'outside/a.txt': 'SECRET' })
  const [root, outside] = [join(top, 'root'), join(top, 'outside')]
  const swap = (): void => {
    renameSync(join(root, 'deep'), join(root, 'moved'))
    symlinkSync(outside, join(root, 'deep'))
  }
  return { root, outside, swap }
}

function codeOf(work: () => unknown): string {
  try {
    work()
    return 'nothing thrown'
  } catch (error) {
    return isRetinueError(error) ? error.code : String(error)
  }
}

test.skipIf(process.platform !== 'linux')(
  'R14 on Linux a folder that is held stays that folder, whatever takes its place',
  () => {
    const { root, outside, swap } = swapping()
    folderOpener(root, false).within(TARGET, ['deep'], {}, (folder) => {
      swap()
      folder.hold()
      writeFileSync(folder.at('b.txt'), 'inside')
    })
    expect([readdirSync(join(root, 'moved')).sort(), readdirSync(outside)]).toEqual([['a.txt', 'b.txt'], ['a.txt']])
  },
)

test('R14 elsewhere a folder that was swapped for a link is noticed before anything is done in it', () => {
  const notices: ((folder: OpenFolder, root: string) => unknown)[] = [
    (folder) => folder.hold(),
    (folder, root) => closeSync(folderOpener(root, true).openFile(TARGET, folder, 'a.txt')),
    (folder, root) => folderOpener(root, true).below(TARGET, folder, 'deeper', () => {}),
  ]
  for (const notice of notices) {
    const { root, outside, swap } = swapping()
    mkdirSync(join(outside, 'deeper'))
    folderOpener(root, true).within(TARGET, ['deep'], {}, (folder) => {
      swap()
      expect(codeOf(() => notice(folder, root))).toBe('workspace-path-refused')
    })
  }
  // Another folder, and no link: it is another one all the same.
  const { root } = swapping()
  folderOpener(root, true).within(TARGET, ['deep'], {}, (folder) => {
    renameSync(join(root, 'deep'), join(root, 'moved'))
    mkdirSync(join(root, 'deep'))
    expect(codeOf(() => folder.hold())).toBe('workspace-path-refused')
  })
})
