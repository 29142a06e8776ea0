export type { DatabaseOptions } from './database/database-options.ts'
export { LibSQLStore } from './libsql-store.ts'
export { LibSQLVector } from './libsql-vector.ts'
