import type { Client, InStatement } from '@libsql/client'

/** A transaction of several statements, and how it ends in the middle. */
export interface Tear {
  /** Which of the client's transactions, counted from 1. */
  readonly at: number
  /** After how many of its statements. */
  readonly after: number
  /**
   * What happens then: `kill` ends the process (`() => process.kill(process.pid, 'SIGKILL')`), and the call never settles. If it is
   * left out the transaction is rolled back and fails with an I/O error.
   */
  readonly kill?: () => void
}

/**
 * A client that tears a transaction, for `wrapClient` of `LibSQLStore`. A transaction is atomic: whatever is torn must leave what was
 * there before, and that is what to test. Only `batch` can be torn; a write of one statement has no middle.
 */
export function tornClient(client: Client, tear: Tear): Client {
  let transactions = 0
  const batch: Client['batch'] = async (statements, mode) => {
    transactions += 1
    if (transactions !== tear.at) return client.batch(statements, mode)
    const transaction = await client.transaction('write')
    for (const statement of statements.slice(0, tear.after)) await transaction.execute(asStatement(statement))
    if (tear.kill) {
      tear.kill()
      return new Promise(() => {})
    }
    await transaction.rollback()
    throw Object.assign(new Error('disk I/O error, as the test has it'), { code: 'SQLITE_IOERR' })
  }
  return new Proxy(client, {
    get(target, key) {
      if (key === 'batch') return batch
      const member: unknown = Reflect.get(target, key)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

function asStatement(statement: Parameters<Client['batch']>[0][number]): InStatement {
  if (!Array.isArray(statement)) return statement as InStatement
  const [sql, args] = statement as [string, Extract<InStatement, object>['args']?]
  return { sql, ...(args === undefined ? {} : { args }) }
}
