import { portViolation } from './ports.ts'
import type { Rule } from './rule.ts'

const FIX = 'write: export default console, or an object with a method warn(message), or false for no warnings at all'

/** B11.2, B1.11: what has no `warn` can't be told of anything. */
export const loggerInvalid: Rule = {
  code: 'logger-invalid',
  severity: 'error',
  why: 'runs tell their warnings by its method warn',
  *check(context) {
    for (const module of context.discovered.shared)
      if (module.slot === 'logger') yield* portViolation(context, module, [], FIX)
  },
}
