import type { InStatement } from '@libsql/client'
import type { VectorFilter, VectorItem, VectorQuery } from '@retinue/core/storage'
import { factPatterns, factsText } from './facts.ts'

/** So many rows go into one statement: a longer text takes the database longer to read than it saves. */
const ROWS_A_STATEMENT = 100

export function upsertVectors(items: readonly VectorItem[]): InStatement[] {
  const statements: InStatement[] = []
  for (let first = 0; first < items.length; first += ROWS_A_STATEMENT) {
    const some = items.slice(first, first + ROWS_A_STATEMENT)
    statements.push({
      sql: `INSERT INTO retinue_vectors (resource_id, id, dimensions, vector, facts)
        VALUES ${some.map(() => '(?, ?, ?, ?, ?)').join(', ')}
        ON CONFLICT (resource_id, id) DO UPDATE SET
          dimensions = excluded.dimensions, vector = excluded.vector, facts = excluded.facts`,
      args: some.flatMap(({ id, vector, metadata }) => [
        metadata.resourceId,
        id,
        vector.length,
        floats(vector),
        factsText(metadata),
      ]),
    })
  }
  return statements
}

/** Brute force: 5,000 vectors of 384 numbers take some 20 ms, and an index would have to be built and kept. */
export function nearestVectors({ vector, topK, filter }: VectorQuery): InStatement {
  const { sql, args } = fitting(filter)
  return {
    sql: `SELECT id, facts, 1 - vector_distance_cos(vector, ?) AS score FROM retinue_vectors
      WHERE dimensions = ? AND ${sql} ORDER BY score DESC, id LIMIT ?`,
    args: [floats(vector), vector.length, ...args, topK],
  }
}

export function deleteVectors(filter: VectorFilter): InStatement {
  const { sql, args } = fitting(filter)
  return { sql: `DELETE FROM retinue_vectors WHERE ${sql} RETURNING 1`, args }
}

function fitting(filter: VectorFilter): { sql: string; args: string[] } {
  const patterns = factPatterns(filter)
  return {
    sql: ['resource_id = ?', ...patterns.map(() => 'instr(facts, ?)')].join(' AND '),
    args: [filter.resourceId, ...patterns],
  }
}

/** As the database keeps an `F32_BLOB`: 32-bit floats, the lowest byte first. */
function floats(vector: readonly number[]): ArrayBuffer {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4))
  for (const [index, number] of vector.entries()) bytes.setFloat32(index * 4, number, true)
  return bytes.buffer
}
