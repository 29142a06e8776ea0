import { isConfiguredByAgentFile } from '../discover/agent-dir.ts'
import type { Rule } from './rule.ts'

/** B11.1, B11.11: a frontmatter that does not parse is told with its place. */
export const frontmatterInvalid: Rule = {
  code: 'frontmatter-invalid',
  severity: 'error',
  why: 'the frontmatter of agent.md is the config of the agent, as YAML: keys with values between two lines of ---',
  *check({ plans, discovered: { modules } }) {
    for (const { agent } of plans) {
      if (agent.config === undefined || !isConfiguredByAgentFile(agent)) continue
      const { file } = agent.config
      // As in a module, the errors after the first mostly follow from it.
      const [first] = modules.shape(file)?.errors ?? []
      if (first === undefined) continue
      yield {
        message: `the frontmatter of "${file.slice(agent.dir.length + 1)}" can't be read: ${first.message}`,
        place: { file, at: first.at },
        agentPath: agent.path,
        fix: 'write "key: value" lines between two lines of ---; put a value that holds ": " or "#" into quotes',
      }
    }
  },
}
