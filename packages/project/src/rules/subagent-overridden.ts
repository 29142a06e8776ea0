import { configPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.7 */
export const subagentOverridden: Rule = {
  code: 'subagent-overridden',
  severity: 'warning',
  why: 'an entry of config.agents wins over a directory of the same name, which is then neither assembled nor checked',
  *check(context) {
    for (const { agent, overridden } of context.plans) {
      for (const { key, dir, path } of overridden) {
        yield {
          message: `config.agents.${key} in ${agent.config?.file} stands in for the directory ${dir}`,
          place: configPlace(context, agent, ['agents', key], 'key'),
          agentPath: path,
          fix: `remove "${key}" from config.agents to use the directory, or remove the directory`,
        }
      }
    }
  },
}
