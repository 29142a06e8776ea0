import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The package.json of a folder as Node reads it, with or without a byte order mark; undefined where none can be read. */
export function readManifest(dir: string): Readonly<Record<string, unknown>> | undefined {
  const file = join(dir, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    // Node refuses an import that it needs it for, which `check` has said; others are none of its business.
    return undefined
  }
}
