import { quoteAll } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.1 */
export const appMissing: Rule = {
  code: 'app-missing',
  severity: 'error',
  why: 'agents are folders in the application\'s "agents/", and the application is found by its place',
  *check({ discovered: { application } }) {
    if (application.ok) return
    const { looked, reason } = application
    const [first = ''] = looked
    yield {
      message: `no application: looked for ${quoteAll(looked)}, and ${reason}`,
      place: { file: first },
      agentPath: [],
      fix: `make "${first}/agents/my-agent/config.ts", or say where the application is with --dir`,
    }
  },
}
