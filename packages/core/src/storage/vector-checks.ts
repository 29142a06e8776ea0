import { assertId } from './checks.ts'
import { valueRefused } from './storage-errors.ts'
import type { VectorMetadata } from './vectors.ts'

/** Finite as 32-bit numbers, and not all zero: a vector without a direction is as near to one as to another. */
export function assertVector(vector: readonly number[], place: string): void {
  if (vector.length === 0) throw valueRefused(place, 'a vector has at least one number')
  let zero = true
  for (const number of vector) {
    const kept = Math.fround(number)
    if (!Number.isFinite(kept)) throw valueRefused(place, 'a vector holds finite 32-bit numbers')
    if (kept !== 0) zero = false
  }
  if (zero) throw valueRefused(place, 'a vector that is all zero has no direction')
}

export function assertVectorMetadata(metadata: VectorMetadata, place: string): void {
  assertId(metadata.resourceId, `${place}.resourceId`)
  for (const [name, value] of Object.entries(metadata)) {
    const kind = typeof value
    if (kind === 'string' || kind === 'boolean' || (kind === 'number' && Number.isFinite(value))) continue
    throw valueRefused(`${place}.${name}`, 'metadata of vectors are texts, finite numbers, true and false')
  }
}
