import { type AgentDir, isConfiguredByAgentFile, isTopLevel } from '../discover/agent-dir.ts'
import type { AgentPlan } from '../plan.ts'
import { aKind, configPlace } from './places.ts'
import type { Rule, RuleContext, Violation } from './rule.ts'

/** B11.5 */
export const subagentDescriptionMissing: Rule = {
  code: 'subagent-description-missing',
  severity: 'error',
  why: 'the parent reads the description to decide when to delegate',
  *check(context) {
    for (const plan of context.plans) {
      const problem = isTopLevel(plan.agent) ? undefined : problemOf(plan)
      if (problem !== undefined) yield violation(context, plan, problem)
    }
  },
}

const ABSENT = 'has no description'

function problemOf({ config, fact }: AgentPlan): string | undefined {
  if (config === 'unknown') return undefined
  if (config === 'none') return ABSENT
  if (config === 'agent') {
    const description = fact?.kind === 'agent' ? fact.agent.description : undefined
    return description?.trim() ? undefined : ABSENT
  }
  const { description } = config
  if (description.form === 'absent') return ABSENT
  if (description.form === 'wrong') return `has a description that is ${aKind(description.kind)}, not text`
  return description.text.trim() === '' ? 'has a blank description' : undefined
}

function violation(context: RuleContext, { agent }: AgentPlan, problem: string): Violation {
  const parent = agent.path.at(-2) ?? ''
  const isAbsent = problem === ABSENT
  return {
    message: `subagent "${agent.key}" ${problem}`,
    place: configPlace(context, agent, ['description'], 'value'),
    agentPath: agent.path,
    why: `"${parent}" reads the description to decide when to delegate`,
    fix: fixOf(agent),
    ...(isAbsent && agent.config !== undefined ? { label: "add `description: '…'`" } : {}),
  }
}

function fixOf(agent: AgentDir): string {
  const text = 'Use it to …: what it does, and when to delegate to it.'
  if (agent.config === undefined)
    return `add "${agent.dir}/config.ts" with agentConfig({ model: 'provider/model', description: '${text}' })`
  if (!isConfiguredByAgentFile(agent) || agent.agentFile?.hasFrontmatter) return `write description: '${text}'`
  return `begin the file with a line of ---, a line with description: '${text}', and another line of ---`
}
