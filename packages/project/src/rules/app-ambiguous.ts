import { quoteAll } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.1 */
export const appAmbiguous: Rule = {
  code: 'app-ambiguous',
  severity: 'warning',
  why: 'a project has one application, and the agents of the other directory are not read',
  *check({ discovered: { application } }) {
    if (!application.ok || application.passedOver.length === 0) return
    const [other = ''] = application.passedOver
    yield {
      message: `"${application.dir}" is read, and ${quoteAll(application.passedOver)} is not`,
      place: { file: other },
      agentPath: [],
      fix: `move what is in "${other}" to "${application.dir}", or choose with --dir`,
    }
  },
}
