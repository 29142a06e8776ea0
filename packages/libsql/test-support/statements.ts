import Driver from 'libsql'

interface Prepared {
  prepare(sql: string): unknown
}

/**
 * All statements that the driver is handed in this process, with BEGIN and COMMIT, while `using` it. What triggers do is part of the
 * statement that fires them. `failAt` is the number, from 1, of one that fails before it is run.
 */
export function watchStatements(failAt?: number): { readonly statements: string[]; [Symbol.dispose](): void } {
  const driver = Driver.prototype as unknown as Prepared
  const { prepare } = driver
  const statements: string[] = []
  driver.prepare = function (this: Prepared, sql: string) {
    statements.push(sql.replace(/\s+/g, ' ').trim())
    if (statements.length === failAt) throw new Error('interrupted')
    return prepare.call(this, sql)
  }
  return {
    statements,
    [Symbol.dispose]: () => {
      driver.prepare = prepare
    },
  }
}
