import { configPlace, quoteAll } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.7 */
export const subagentsIgnored: Rule = {
  code: 'subagents-ignored',
  severity: 'warning',
  why: 'a function decides at run time which subagents there are, so it stands in for the whole folder',
  *check(context) {
    for (const { agent, ignored } of context.plans) {
      if (ignored.length === 0) continue
      yield {
        message: `config.agents is a function, so the subagents in ${agent.dir}/subagents are ignored: ${quoteAll(ignored.map(({ key }) => key))}`,
        place: configPlace(context, agent, ['agents'], 'key'),
        agentPath: agent.path,
        fix: 'make config.agents an object, which is merged with the folder, or remove the folder',
      }
    }
  },
}
