import { configPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B1.1: what code made is told, not refused. */
export const codedSubagentDescriptionMissing: Rule = {
  code: 'coded-subagent-description-missing',
  severity: 'warning',
  why: 'the parent reads the description to decide when to delegate',
  *check(context) {
    for (const { agent, coded } of context.plans) {
      for (const { key, agent: subagent } of coded) {
        if (subagent === undefined || subagent.description?.trim()) continue
        yield {
          message: `subagent "${key}" in config.agents has no description`,
          place: configPlace(context, agent, ['agents', key], 'key'),
          agentPath: agent.path,
          why: `"${agent.key}" reads the description to decide when to delegate`,
          fix: `give the agent "${subagent.id}" a description: what it does, and when to delegate to it`,
        }
      }
    }
  },
}
