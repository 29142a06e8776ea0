import { join } from 'node:path'
import { isRetinueError, RetinueError } from '@retinue/core/errors'
import type { Storage } from '@retinue/core/storage'
import { LibSQLStore } from '@retinue/libsql'
import { DATA_DIR } from '@retinue/project/runtime'

/** The database of an application that has no storage of its own. One that can't be opened fails: what is served must be kept. */
export async function defaultStorage(root: string): Promise<Storage> {
  const store = new LibSQLStore({ id: 'retinue', url: `file:${join(root, DATA_DIR, 'retinue.db')}` })
  try {
    await store.threads.list({ resourceId: 'retinue', limit: 1 })
    return store
  } catch (error) {
    await store.close().catch(() => {})
    if (!isRetinueError(error, 'storage-cannot-open')) throw error
    const hint = 'Let this process write there, or name another folder for what it keeps: RETINUE_ROOT=/var/lib/agents'
    throw new RetinueError({ code: error.code, message: error.message, hint, cause: error })
  }
}
