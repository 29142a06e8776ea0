import type { WorkspaceLimits } from '@retinue/core/workspace'

/** The bounds of one call of a tool, all of them set. */
export interface Bounds extends Required<WorkspaceLimits> {
  /** The largest file of which some lines are read, and in which is searched. */
  readonly scannedBytes: number
  readonly searchedFiles: number
  readonly searchMs: number
}

const DEFAULTS: Bounds = {
  readBytes: 256 * 1024,
  writeBytes: 256 * 1024,
  listedFiles: 500,
  searchResults: 100,
  scannedBytes: 8 * 1024 * 1024,
  searchedFiles: 10_000,
  searchMs: 2_000,
}

export function boundsOf(limits: WorkspaceLimits = {}): Bounds {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  const bounds: Bounds = { ...DEFAULTS, ...Object.fromEntries(given) }
  return { ...bounds, scannedBytes: Math.max(bounds.scannedBytes, bounds.readBytes) }
}
