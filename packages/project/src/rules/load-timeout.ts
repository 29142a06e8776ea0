import { FILE_START } from '../discover/line-index.ts'
import type { Rule } from './rule.ts'

/** B11.11: user code can't keep `check` waiting. */
export const loadTimeout: Rule = {
  code: 'load-timeout',
  severity: 'error',
  why: 'a module that waits or loops while it loads keeps every agent of the project from starting',
  *check({ loaded }) {
    for (const { file, agentPath, failure } of loaded.failures) {
      if (failure.kind !== 'timeout') continue
      yield {
        message: `"${file}" did not load: ${failure.message}`,
        place: { file, at: FILE_START },
        agentPath,
        fix: 'look in it and in what it imports for an "await" at the top level or a loop that does not end, and move it into a tool',
      }
    }
  },
}
