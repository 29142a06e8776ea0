import { describe, test } from 'vitest'
import { storageConformance } from '../testing/storage/storage-conformance.ts'
import { vectorConformance } from '../testing/storage/vector-conformance.ts'
import { InMemoryStorage } from './in-memory-storage.ts'
import { InMemoryVectors } from './in-memory-vectors.ts'

describe('in memory', () => {
  for (const { name, run } of storageConformance) test(name, () => run(() => new InMemoryStorage()))
  for (const { name, run } of vectorConformance) test(`vectors: ${name}`, () => run(() => new InMemoryVectors()))
})
