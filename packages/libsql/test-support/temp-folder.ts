import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder, which is removed by `using`. */
export function tempFolder(): { readonly path: string; file(name?: string): string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'retinue-libsql-'))
  return {
    path,
    /** The URL of a database in it. */
    file: (name = 'app.db') => `file:${join(path, name)}`,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
