import { applicationAgents } from './application-agents.ts'
import { configPlace, quoteAll } from './places.ts'
import type { Rule, RuleContext } from './rule.ts'

/** B9.1: what an agent says counts where the application has background tasks turned on, and only there. */
export const backgroundTasksOff: Rule = {
  code: 'background-tasks-off',
  severity: 'warning',
  why: 'where the application does not turn background tasks on, every call is run in the foreground, and nothing says so',
  *check(context) {
    const fix = missingSwitch(context)
    if (fix === undefined) return
    for (const { agent, config } of context.plans) {
      if (typeof config !== 'object') continue
      const { turnedOn } = config.background
      if (turnedOn.length === 0) continue
      yield {
        message: `"${agent.key}" runs ${quoteAll(turnedOn)} in the background, and the application has background tasks turned off`,
        place: configPlace(context, agent, ['backgroundTasks'], 'key'),
        agentPath: agent.path,
        fix,
      }
    }
  },
}

/** What to write so that they are turned on; undefined where they are, where somebody turned them off, or where it is not known. */
function missingSwitch(context: RuleContext): string | undefined {
  const { discovered, loaded } = context
  if (!discovered.application.ok || applicationAgents(context).settings.includes('backgroundTasks')) return undefined
  const { dir } = discovered.application
  const module = discovered.shared.find(({ slot }) => slot === 'backgroundTasks')
  if (module === undefined) return `write ${dir}/backgroundTasks.ts: export default { enabled: true }`
  const fact = loaded.facts.get(module.file)
  if (fact?.kind !== 'background-tasks' || fact.refusals.length > 0 || fact.enabled !== undefined) return undefined
  return `write enabled: true in "${module.file}"`
}
