import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** A hash of the names and the bytes of all files below a folder. */
export function folderHash(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const files = entries.map(({ parentPath, name }) => join(parentPath, name))
  return hashOfFiles(
    files.map((file) => [file.slice(folder.length + 1).replaceAll('\\', '/'), fileHash(file)] as const),
  )
}

/** The same of what is known of each file: its path in the folder, with `/`, and the hash of its bytes. */
export function hashOfFiles(files: Iterable<readonly [path: string, hash: string]>): string {
  const hash = createHash('sha256')
  for (const [path, own] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${path}\0${own}\0`)
  return hash.digest('hex').slice(0, 16)
}

export function bytesHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Files may be larger than what can be held at once. */
export function fileHash(file: string): string {
  const hash = createHash('sha256')
  const opened = openSync(file, 'r')
  try {
    for (;;) {
      const read = readSync(opened, BUFFER)
      if (read === 0) return hash.digest('hex')
      hash.update(BUFFER.subarray(0, read))
    }
  } finally {
    closeSync(opened)
  }
}

/** For all files: nothing is read while another is. */
const BUFFER = Buffer.allocUnsafe(1 << 18)
