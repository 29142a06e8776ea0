import type { InValue } from '@libsql/client'

/** What rows must have; what is undefined is of no account. */
export interface Filter {
  readonly runId?: string | undefined
  readonly agentId?: string | undefined
  readonly status?: string | undefined
  readonly threadId?: string | undefined
  readonly resourceId?: string | undefined
}

const COLUMNS: readonly (readonly [keyof Filter, string])[] = [
  ['runId', 'run_id'],
  ['agentId', 'agent_id'],
  ['status', 'status'],
  ['threadId', 'thread_id'],
  ['resourceId', 'resource_id'],
]

/** A filter as a condition. */
export function where(filter: Filter): { readonly sql: string; readonly args: InValue[] } {
  const conditions = ['TRUE']
  const args: InValue[] = []
  for (const [name, column] of COLUMNS) {
    const value = filter[name]
    if (value === undefined) continue
    conditions.push(`${column} = ?`)
    args.push(value)
  }
  return { sql: conditions.join(' AND '), args }
}
