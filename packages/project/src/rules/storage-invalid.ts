import { portViolation } from './ports.ts'
import type { Rule } from './rule.ts'

const FIX = "write: export default new LibSQLStore({ id: 'app', url: 'file:app.db' }), of @retinue/libsql"

/** B11.2, B1.11: what is no storage keeps no conversation. */
export const storageInvalid: Rule = {
  code: 'storage-invalid',
  severity: 'error',
  why: 'memories without a storage of their own keep their conversations in this one',
  *check(context) {
    for (const module of context.discovered.shared)
      if (module.slot === 'storage') yield* portViolation(context, module, [], FIX)
  },
}
