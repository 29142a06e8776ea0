import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import { type CopiedFile, copyInto } from './copied-files.ts'
import { bytesHash, fileHash, folderHash, hashOfFiles } from './folder-hash.ts'
import { POINTER } from './output-dir.ts'

/** The files of an output: texts by their paths in it, and files that are copied. */
export interface OutputFiles {
  /** What stands in the output's folder itself, in the order in which it is put there. */
  readonly top: Readonly<Record<string, string>>
  /** What the build is made of, by paths in a folder of its own. */
  readonly written: ReadonlyMap<string, string | Uint8Array>
  readonly copied: readonly CopiedFile[]
}

/** The line in an output's package.json by which it is known as one. */
export const MARK = 'retinue-output'

/** Unfinished outputs of builds that were killed are removed after so long. */
const LEFT_BEHIND_MS = 3_600_000

/** A build in an output is called by its content: two that are equal are one. */
const BUILD = /build-[0-9a-f]{16}/

/** What `npm install --prefix` puts into an output. What runs may need it, and the next build mostly does. */
const INSTALLED: readonly string[] = ['node_modules', 'package-lock.json']

/**
 * Puts an output where the last one is, whole or not at all: each build has a folder of its own in it, and one small module names the
 * one that starts. One that runs stays, since it may still load a part or read a file: `served` are those, by their paths. Nothing else
 * stays, so that the output is the same whatever was built before. Of two builds at once the later one stays. Throws `build-output-foreign`
 * if something else is there, `build-failed` if the system refuses.
 */
export function writeOutput(folder: string, files: OutputFiles, served: ReadonlySet<string>): void {
  assertOurs(folder)
  const parent = dirname(folder)
  const fresh = join(parent, `.${basename(folder)}-${randomUUID()}.tmp`)
  try {
    removeLeftBehind(parent, basename(folder))
    const there = existsSync(folder) ? readdirSync(folder) : []
    const build = writeBuild(fresh, files)
    mkdirSync(folder, { recursive: true })
    const place = join(folder, build)
    if (!existsSync(place) || !isIntact(place)) replace(place, join(fresh, build))
    const top = { ...files.top, [POINTER]: `export { main } from './${build}/app/application.js'\n` }
    for (const [name, text] of Object.entries(top)) {
      writeFileSync(join(fresh, name), text)
      renameSync(join(fresh, name), join(folder, name))
    }
    rmSync(fresh, { recursive: true, force: true })
    const runs = there.filter((name) => served.has(join(realpathSync(folder), name)))
    // Another build may have put its own there meanwhile.
    const kept = new Set([...Object.keys(top), ...INSTALLED, build, lastBuild(folder), ...runs])
    for (const name of there) if (!kept.has(name)) rmSync(join(folder, name), { recursive: true, force: true })
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true })
    throw cause instanceof RetinueError ? cause : notWritten(folder, cause)
  }
}

/** Writes a build into a folder of its own, and gives that one's name. */
function writeBuild(fresh: string, { written, copied }: OutputFiles): string {
  const unnamed = join(fresh, 'build')
  const hashes = new Map<string, string>()
  for (const folder of new Set([...written.keys()].map((path) => dirname(join(unnamed, path)))))
    mkdirSync(folder, { recursive: true })
  for (const [path, content] of written) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    hashes.set(path, bytesHash(bytes))
    writeFileSync(join(unnamed, path), bytes)
  }
  for (const file of copied) {
    copyInto(unnamed, file)
    hashes.set(file.to, fileHash(join(unnamed, file.to)))
  }
  const name = `build-${hashOfFiles(hashes)}`
  renameSync(unnamed, join(fresh, name))
  return name
}

/** Whether a build is what its name says: who runs it need not be disturbed. */
function isIntact(build: string): boolean {
  return basename(build) === `build-${folderHash(build)}`
}

/** The name of the build that an output starts. */
function lastBuild(folder: string): string | undefined {
  const file = join(folder, POINTER)
  return existsSync(file) ? BUILD.exec(readFileSync(file, 'utf8'))?.[0] : undefined
}

/** A folder can't be put in the place of one that holds something: the old one steps aside first. */
function replace(folder: string, fresh: string): void {
  const old = `${fresh}-old`
  for (let attempt = 0; ; attempt++) {
    try {
      if (existsSync(folder)) renameSync(folder, old)
      renameSync(fresh, folder)
      break
    } catch (error) {
      // Another build put its own there in between, or took the old one away.
      if (attempt >= 20 || !RACE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      rmSync(old, { recursive: true, force: true })
    }
  }
  rmSync(old, { recursive: true, force: true })
}

const RACE: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT'])

function assertOurs(folder: string): void {
  if (!existsSync(folder)) return
  // One that was ended while it wrote the first build has left that alone.
  const isOurs =
    statSync(folder).isDirectory() && (readdirSync(folder).every((name) => BUILD.test(name)) || isMarked(folder))
  if (isOurs) return
  throw new RetinueError({
    code: 'build-output-foreign',
    message: `"${folder}" is there and is no output of a build: nothing in it was touched.`,
    hint: 'Remove it, or build to another folder: retinue build --out FOLDER',
  })
}

function isMarked(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === MARK
  } catch {
    return false
  }
}

function removeLeftBehind(parent: string, name: string): void {
  if (!existsSync(parent)) return
  for (const entry of readdirSync(parent)) {
    if (!entry.startsWith(`.${name}-`) || !entry.endsWith('.tmp')) continue
    const path = join(parent, entry)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > LEFT_BEHIND_MS) rmSync(path, { recursive: true, force: true })
  }
}

function notWritten(folder: string, cause: unknown): RetinueError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new RetinueError({
    code: 'build-failed',
    message: `The output could not be written to "${folder}": ${reason}`,
    hint: 'See that the folder can be written to and that there is room, or build elsewhere: retinue build --out FOLDER',
    cause,
  })
}
