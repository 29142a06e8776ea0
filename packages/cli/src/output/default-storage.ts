import { join } from 'node:path'
import type { Storage } from '@retinue/core/storage'
import { LibSQLStore } from '@retinue/libsql'
import { DATA_DIR } from '@retinue/project/runtime'

/** The database of an application that has no storage of its own. One that can't be opened fails: what is served must be kept. */
export async function defaultStorage(root: string): Promise<Storage> {
  const store = new LibSQLStore({ id: 'retinue', url: `file:${join(root, DATA_DIR, 'retinue.db')}` })
  await store.threads.list({ resourceId: 'retinue', limit: 1 })
  return store
}
