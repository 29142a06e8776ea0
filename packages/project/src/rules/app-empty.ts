import { applicationAgents } from './application-agents.ts'
import type { Rule } from './rule.ts'

/** B11.10: an application without agents is most likely a folder in the wrong place. */
export const appEmpty: Rule = {
  code: 'app-empty',
  severity: 'warning',
  why: 'there is nothing to run',
  *check(context) {
    const { application, agents } = context.discovered
    if (!application.ok || agents.length > 0 || applicationAgents(context).entries.length > 0) return
    const { dir } = application
    const message = `"${dir}" holds no agent`
    yield {
      message,
      place: { file: dir },
      agentPath: [],
      fix: `make "${dir}/agents/my-agent/config.ts" and "instructions.md"`,
    }
  },
}
