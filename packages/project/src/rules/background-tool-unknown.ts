import { unknownNameFix } from '../names.ts'
import type { AgentPlan } from '../plan.ts'
import { configPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** A memory brings it where it keeps notes, which no file tells. */
const NOTES_TOOL = 'updateWorkingMemory'

/** B9.1 */
export const backgroundToolUnknown: Rule = {
  code: 'background-tool-unknown',
  severity: 'error',
  why: 'a tool or subagent is run in the background by its name: under a name that nothing has, the agent could not run at all',
  *check(context) {
    for (const plan of context.plans) {
      const { agent } = plan
      for (const name of unknownNames(plan)) {
        yield {
          message: `the backgroundTasks of "${agent.key}" name what is no tool and no subagent of it: "${name}"`,
          place: configPlace(context, agent, ['backgroundTasks', 'tools', name], 'key'),
          agentPath: agent.path,
          fix: fixFor(name, namesOf(plan)),
        }
      }
    }
  },
}

function unknownNames(plan: AgentPlan): readonly string[] {
  const { config, workspace } = plan
  if (typeof config !== 'object' || config.background.named.length === 0) return []
  if (config.background.mayBringTools || workspace?.isKnown === false) return []
  const known = new Set([...namesOf(plan), NOTES_TOOL])
  return config.background.named.filter((name) => !known.has(name))
}

function namesOf({ tools, subagents, coded }: AgentPlan): readonly string[] {
  return [...subagents, ...coded, ...tools].map(({ key }) => key)
}

function fixFor(name: string, known: readonly string[]): string {
  return known.length === 0 ? `remove "${name}": the agent has no tools and no subagents` : unknownNameFix(name, known)
}
