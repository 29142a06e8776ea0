import { assertCount, assertId } from './checks.ts'
import { storageClosed } from './storage-errors.ts'
import { assertVector, assertVectorMetadata } from './vector-checks.ts'
import type { VectorFilter, VectorItem, VectorMatch, VectorMetadata, VectorQuery, VectorStore } from './vectors.ts'

interface Kept {
  readonly id: string
  readonly vector: Float32Array
  readonly metadata: VectorMetadata
}

/** Vectors in the memory of the process, compared one by one. */
export class InMemoryVectors implements VectorStore {
  readonly id: string
  /** By owner, then by id. */
  readonly #owners = new Map<string, Map<string, Kept>>()
  #closed = false

  constructor({ id = 'memory' }: { id?: string } = {}) {
    this.id = id
  }

  async upsert(items: readonly VectorItem[]): Promise<void> {
    this.#assertOpen()
    for (const [index, { id, vector, metadata }] of items.entries()) {
      assertId(id, `items[${index}].id`)
      assertVector(vector, `items[${index}].vector`)
      assertVectorMetadata(metadata, `items[${index}].metadata`)
    }
    for (const { id, vector, metadata } of items) {
      const owned = this.#owners.get(metadata.resourceId) ?? new Map<string, Kept>()
      owned.set(id, { id, vector: Float32Array.from(vector), metadata: { ...metadata } })
      this.#owners.set(metadata.resourceId, owned)
    }
  }

  async query({ vector, topK, filter }: VectorQuery): Promise<readonly VectorMatch[]> {
    this.#assertOpen()
    assertCount(topK, 'topK')
    assertVector(vector, 'vector')
    const wanted = Float32Array.from(vector)
    return this.#fitting(filter)
      .filter((kept) => kept.vector.length === wanted.length)
      .map((kept) => ({ id: kept.id, score: cosine(kept.vector, wanted), metadata: { ...kept.metadata } }))
      .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
      .slice(0, topK)
  }

  async delete(filter: VectorFilter): Promise<number> {
    this.#assertOpen()
    const fitting = this.#fitting(filter)
    for (const { id } of fitting) this.#owners.get(filter.resourceId)?.delete(id)
    return fitting.length
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#owners.clear()
  }

  #fitting(filter: VectorFilter): Kept[] {
    assertVectorMetadata(filter, 'filter')
    const facts = Object.entries(filter)
    const owned = this.#owners.get(filter.resourceId)?.values() ?? []
    return [...owned].filter(({ metadata }) =>
      facts.every(([name, value]) => Object.hasOwn(metadata, name) && metadata[name] === value),
    )
  }

  #assertOpen(): void {
    if (this.#closed) throw storageClosed(this.id)
  }
}

function cosine(one: Float32Array, other: Float32Array): number {
  let product = 0
  let ones = 0
  let others = 0
  for (let index = 0; index < one.length; index++) {
    const a = one[index] as number
    const b = other[index] as number
    product += a * b
    ones += a * a
    others += b * b
  }
  return product / Math.sqrt(ones * others)
}
