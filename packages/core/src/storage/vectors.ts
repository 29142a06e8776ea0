/**
 * Facts of a vector, by which it is filtered. `resourceId` is its owner and always there: what belongs to another is never found,
 * replaced or deleted.
 */
export interface VectorMetadata {
  readonly resourceId: string
  readonly [name: string]: string | number | boolean
}

export interface VectorItem {
  /** Unique for its owner: the same id of the same `resourceId` is replaced. */
  readonly id: string
  /** Finite numbers, kept with 32 bits each; not all zero. Those of one store may differ in length: a query finds its own length. */
  readonly vector: readonly number[]
  readonly metadata: VectorMetadata
}

/** The owner, and what else of the metadata must be equal. */
export type VectorFilter = VectorMetadata

export interface VectorQuery {
  readonly vector: readonly number[]
  /** At least 1. */
  readonly topK: number
  readonly filter: VectorFilter
}

export interface VectorMatch {
  readonly id: string
  /** Cosine similarity, from -1 to 1. */
  readonly score: number
  readonly metadata: VectorMetadata
}

/** The port to vectors, for semantic recall. It has the same errors as `Storage`. */
export interface VectorStore {
  readonly id: string
  /** All or none. */
  upsert(items: readonly VectorItem[]): Promise<void>
  /** The nearest first; equal ones by id. */
  query(query: VectorQuery): Promise<readonly VectorMatch[]>
  /** Deletes what fits the filter and says how many. */
  delete(filter: VectorFilter): Promise<number>
  close(): Promise<void>
}
