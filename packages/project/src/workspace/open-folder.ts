import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../system-code.ts'
import { refused, type Target } from './refusals.ts'
import { said } from './system-reason.ts'

/*
 * What holds where (B11.9):
 *
 * - Linux: each step of a path is opened from the folder that holds it, through `/proc/self/fd/<folder>/<name>` with `O_NOFOLLOW`,
 *   and what is then done in a folder is done below its descriptor. A folder that is swapped for a link between two steps is
 *   refused by the system itself: there is no moment in which a check was made and not yet used. Renaming and deleting act on the
 *   name itself and never follow it.
 * - macOS: there is no such way to open. Every step is looked at with `lstat`, files are opened with `O_NOFOLLOW`, and before
 *   anything is changed the folder must still be the one that was looked at, at the place where it was. A link that stands is
 *   refused, for every operation. Who swaps a folder for a link in the microseconds between that look and the call can make the
 *   call act outside: nothing in this package can do that, a command of a shell could.
 * - Windows: as on macOS, and without `O_NOFOLLOW`: a file that is opened must be the very file that was looked at. Names of
 *   devices, streams, and names that the system would change are refused by their text.
 * - Everywhere: a hard link is a file like others. It can be read; writing replaces the name and leaves the other one as it was.
 */

/** A folder that is held: what is done through it is done in this very folder. */
export interface OpenFolder {
  /** A path of the folder itself. */
  readonly place: string
  /** A path of one of its entries; the entry itself may be anything, also a link. */
  at(name: string): string
  /** Called before something is changed and after something was looked at; throws if the folder is no longer where it was. */
  hold(): void
}

export interface FolderOptions {
  /** Make the folders that are not there. */
  readonly create?: boolean
}

/** Opens folders below a root, one step after the other. */
export interface FolderOpener {
  /** `use` may do with the folder what it likes until it returns. */
  within<T>(target: Target, steps: readonly string[], options: FolderOptions, use: (folder: OpenFolder) => T): T
  /** A folder in a folder. */
  below<T>(target: Target, folder: OpenFolder, name: string, use: (folder: OpenFolder) => T): T
  /** Opens a file to read; it may turn out to be anything but a link. The caller closes it. */
  openFile(target: Target, folder: OpenFolder, name: string): number
}

/** `root` is trusted: it may be reached through links. `portable` chooses the way of systems without `/proc`. */
export function folderOpener(root: string, portable: boolean = !hasDescriptorPaths()): FolderOpener {
  return portable ? new PortableOpener(root) : new LinuxOpener(root)
}

function hasDescriptorPaths(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd')
}

// Reading a pipe would wait for a writer; NONBLOCK makes opening it return, and it is refused then.
const FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)

class LinuxOpener implements FolderOpener {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  within<T>(target: Target, steps: readonly string[], options: FolderOptions, use: (folder: OpenFolder) => T): T {
    let descriptor = said(target, () => openSync(this.#root, FOLDER))
    try {
      for (const step of steps) {
        const place = `/proc/self/fd/${descriptor}/${step}`
        if (options.create) makeFolder(target, place)
        const next = said(target, () => openSync(place, FOLDER | constants.O_NOFOLLOW), place)
        closeSync(descriptor)
        descriptor = next
      }
      return use(new DescriptorFolder(descriptor))
    } finally {
      closeSync(descriptor)
    }
  }

  below<T>(target: Target, folder: OpenFolder, name: string, use: (folder: OpenFolder) => T): T {
    const place = folder.at(name)
    const descriptor = said(target, () => openSync(place, FOLDER | constants.O_NOFOLLOW), place)
    try {
      return use(new DescriptorFolder(descriptor))
    } finally {
      closeSync(descriptor)
    }
  }

  openFile(target: Target, folder: OpenFolder, name: string): number {
    const place = folder.at(name)
    return said(target, () => openSync(place, FILE), place)
  }
}

class DescriptorFolder implements OpenFolder {
  readonly place: string

  constructor(descriptor: number) {
    this.place = `/proc/self/fd/${descriptor}`
  }

  at(name: string): string {
    return `${this.place}/${name}`
  }

  /** A descriptor is the folder, wherever it is moved. */
  hold(): void {}
}

class PortableOpener implements FolderOpener {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  within<T>(target: Target, steps: readonly string[], options: FolderOptions, use: (folder: OpenFolder) => T): T {
    let place = said(target, () => realpathSync(this.#root))
    let folder = new PlacedFolder(target, place)
    for (const step of steps) {
      place = join(place, step)
      if (options.create) {
        folder.hold()
        makeFolder(target, place)
      }
      folder = new PlacedFolder(target, place)
    }
    folder.hold()
    return use(folder)
  }

  below<T>(target: Target, folder: OpenFolder, name: string, use: (folder: OpenFolder) => T): T {
    folder.hold()
    return use(new PlacedFolder(target, folder.at(name)))
  }

  openFile(target: Target, folder: OpenFolder, name: string): number {
    const place = folder.at(name)
    const expected = lookAt(target, place)
    if (expected.isSymbolicLink()) throw refused(target.path, 'it leads through a link')
    const descriptor = said(target, () => openSync(place, FILE), place)
    try {
      if (!isSame(fstatSync(descriptor, { bigint: true }), expected)) throw changed(target)
      folder.hold()
      return descriptor
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }
}

class PlacedFolder implements OpenFolder {
  readonly place: string
  readonly #target: Target
  readonly #expected: BigIntStats

  constructor(target: Target, place: string) {
    this.place = place
    this.#target = target
    this.#expected = lookAt(target, place)
    if (this.#expected.isSymbolicLink()) throw refused(target.path, 'it leads through a link')
    if (!this.#expected.isDirectory()) said(target, () => notAFolder())
  }

  at(name: string): string {
    return join(this.place, name)
  }

  hold(): void {
    const real = said(this.#target, () => realpathSync(this.place))
    if (real !== this.place || !isSame(lookAt(this.#target, this.place), this.#expected)) throw changed(this.#target)
  }
}

function makeFolder(target: Target, place: string): void {
  try {
    mkdirSync(place)
  } catch (error) {
    // Whatever is there, a link too: opening it comes next, and judges it.
    if (systemCode(error) !== 'EEXIST') said(target, () => fail(error))
  }
}

function lookAt(target: Target, place: string): BigIntStats {
  return said(target, () => lstatSync(place, { bigint: true }))
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev
}

function changed({ path }: Target): Error {
  return refused(path, 'it changed while it was being opened')
}

/** The same as the system would say. */
function notAFolder(): never {
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
}

function fail(error: unknown): never {
  throw error
}
