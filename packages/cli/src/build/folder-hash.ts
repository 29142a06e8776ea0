import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** A hash of the names and the bytes of all files below a folder. */
export function folderHash(folder: string): string {
  const hash = createHash('sha256')
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const files = entries.map(({ parentPath, name }) => join(parentPath, name))
  const named = files.map((file) => ({ file, name: file.slice(folder.length).replaceAll('\\', '/') }))
  for (const { file, name } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    // The length keeps the bytes of one file apart from the next one's.
    hash.update(`${name}\0${readInto(hash, file)}\0`)
  }
  return hash.digest('hex').slice(0, 16)
}

/** Files may be larger than what can be held at once. Gives the number of bytes. */
function readInto(hash: Hash, file: string): number {
  const opened = openSync(file, 'r')
  try {
    const buffer = Buffer.allocUnsafe(1 << 18)
    let bytes = 0
    for (;;) {
      const read = readSync(opened, buffer)
      if (read === 0) return bytes
      hash.update(buffer.subarray(0, read))
      bytes += read
    }
  } finally {
    closeSync(opened)
  }
}
