import { join } from 'node:path'
import { isRetinueError } from '@retinue/core/errors'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { DATA_DIR } from '@retinue/project'

/** The file below a project's data in which conversations are kept where the project says nothing of it. */
const DATABASE = 'retinue.db'

/** Who owns the conversations of a command line: the person at it. */
export const LOCAL_RESOURCE = 'local'

/**
 * The database of a project. Where it can't be opened, such as on a disk that is read-only, the conversation is kept in this process,
 * and that is said: an answer is worth more than its record.
 */
export async function defaultStorage(cwd: string, err: (text: string) => void): Promise<Storage> {
  const { LibSQLStore } = await import('@retinue/libsql')
  const store = new LibSQLStore({ id: 'retinue', url: `file:${join(cwd, DATA_DIR, DATABASE)}` })
  try {
    await store.threads.list({ resourceId: LOCAL_RESOURCE, limit: 1 })
    return store
  } catch (error) {
    if (!isRetinueError(error)) throw error
    err(`warning: conversations are not kept: ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}\n`)
    await store.close()
    return new InMemoryStorage({ id: 'retinue' })
  }
}
