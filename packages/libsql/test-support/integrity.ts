import { createClient } from '@libsql/client'
import { LibSQLStore } from '../src/libsql-store.ts'

/** Throws unless the file and its search index are sound. Gives the ids of all messages, by sequence. */
export async function checkedIds(url: string): Promise<string[]> {
  // The check of the index compares it with all messages, so it must be up to date.
  const store = new LibSQLStore({ id: 's', url })
  await store.threads.search({ resourceId: 'nobody', query: 'word', limit: 1 })
  await store.close()
  const client = createClient({ url })
  try {
    const { rows } = await client.execute('PRAGMA integrity_check')
    if (rows.length !== 1 || rows[0]?.[0] !== 'ok') throw new Error(`integrity_check: ${JSON.stringify(rows)}`)
    await client.execute(
      "INSERT INTO retinue_message_terms (retinue_message_terms, rank) VALUES ('integrity-check', 1)",
    )
    const messages = await client.execute('SELECT id FROM retinue_messages ORDER BY sequence')
    return messages.rows.map(({ id }) => String(id))
  } finally {
    client.close()
  }
}
