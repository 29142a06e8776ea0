// For the checks' own tests: a small tree of files in the temporary directory.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Writes `{ path: text }` below a fresh directory, calls `use(root)` and takes the directory away again. */
export function withTree(files, use) {
  const root = mkdtempSync(join(tmpdir(), 'retinue-tree-'))
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    return use(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}
