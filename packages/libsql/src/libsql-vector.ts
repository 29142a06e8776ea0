import {
  assertCount,
  assertId,
  assertVector,
  assertVectorMetadata,
  readRow,
  type VectorFilter,
  type VectorItem,
  type VectorMatch,
  type VectorQuery,
  type VectorStore,
} from '@retinue/core/storage'
import { Database } from './database/database.ts'
import type { DatabaseOptions } from './database/database-options.ts'
import { migrate } from './schema/migrate.ts'
import { metadataOf } from './vectors/facts.ts'
import { deleteVectors, nearestVectors, upsertVectors } from './vectors/vector-statements.ts'

/** Vectors in a LibSQL database, which may be that of a `LibSQLStore`; they are compared one by one, by cosine. */
export class LibSQLVector implements VectorStore {
  readonly id: string
  readonly #database: Database

  /** Throws `option-invalid` or `option-unknown` for options that make no store. */
  constructor(options: DatabaseOptions) {
    this.#database = new Database(options, migrate)
    this.id = options.id
  }

  async upsert(items: readonly VectorItem[]): Promise<void> {
    for (const [index, { id, vector, metadata }] of items.entries()) {
      assertId(id, `items[${index}].id`)
      assertVector(vector, `items[${index}].vector`)
      assertVectorMetadata(metadata, `items[${index}].metadata`)
    }
    if (items.length > 0) await this.#database.write(upsertVectors(items))
  }

  async query(query: VectorQuery): Promise<readonly VectorMatch[]> {
    assertCount(query.topK, 'topK')
    assertVector(query.vector, 'vector')
    assertVectorMetadata(query.filter, 'filter')
    const rows = await this.#database.read(nearestVectors(query))
    return rows.map(({ id, facts, score }) => ({
      id: String(id),
      score: Number(score),
      metadata: readRow(String(id), () => metadataOf(String(facts))),
    }))
  }

  async delete(filter: VectorFilter): Promise<number> {
    assertVectorMetadata(filter, 'filter')
    const [deleted = []] = await this.#database.write([deleteVectors(filter)])
    return deleted.length
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}
