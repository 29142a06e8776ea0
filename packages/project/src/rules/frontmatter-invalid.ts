import { type AgentDir, isConfiguredByAgentFile } from '../discover/agent-dir.ts'
import type { SyntaxProblem } from '../discover/module-shape.ts'
import type { Rule, Violation } from './rule.ts'

const SKILL_WHY =
  'the frontmatter of a skill says what it is called and when to use it, as YAML: keys with values between two lines of ---'

const SCHEDULE_WHY =
  'the frontmatter of a schedule says when it runs, as YAML: keys with values between two lines of ---'

/** A cron with a star in front, and a shorthand, are no plain text in YAML. */
const SCHEDULE_FIX =
  'write "key: value" lines between two lines of ---; put the cron into quotes, such as cron: \'*/5 * * * *\', and any value that holds ": " or "#"'

/** B11.1, B11.11: a frontmatter that does not parse is told with its place. */
export const frontmatterInvalid: Rule = {
  code: 'frontmatter-invalid',
  severity: 'error',
  why: 'the frontmatter of agent.md is the config of the agent, as YAML: keys with values between two lines of ---',
  *check({ plans, discovered: { modules } }) {
    for (const { agent, config } of plans) {
      if (config === 'agent') continue
      if (agent.config !== undefined && isConfiguredByAgentFile(agent)) {
        const { file } = agent.config
        yield* violations(agent, file, modules.shape(file)?.errors ?? [])
      }
      for (const { file, text } of agent.schedules) {
        for (const violation of violations(agent, file, text?.head.shape.errors ?? []))
          yield { ...violation, why: SCHEDULE_WHY, fix: SCHEDULE_FIX }
      }
      for (const { file, head } of agent.skills) {
        for (const violation of violations(agent, file, head.shape.errors)) yield { ...violation, why: SKILL_WHY }
      }
    }
  },
}

/** As in a module, the errors after the first mostly follow from it. */
function* violations(agent: AgentDir, file: string, [first]: readonly SyntaxProblem[]): Iterable<Violation> {
  if (first === undefined) return
  yield {
    message: `the frontmatter of "${file.slice(agent.dir.length + 1)}" can't be read: ${first.message}`,
    place: { file, at: first.at },
    agentPath: agent.path,
    fix: 'write "key: value" lines between two lines of ---; put a value that holds ": " or "#" into quotes',
  }
}
