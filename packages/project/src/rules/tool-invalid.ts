import { configPlace, exportPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B1.9: a tool whose schema can't be told to a model is found before anything runs. */
export const toolInvalid: Rule = {
  code: 'tool-invalid',
  severity: 'error',
  why: 'an agent with this tool can not be made',
  *check(context) {
    for (const { agent, config, modules } of context.plans) {
      for (const { file } of modules) {
        const fact = context.loaded.facts.get(file)
        if (fact?.kind !== 'tool' || fact.refused === undefined) continue
        const { message, hint = 'correct the tool' } = fact.refused
        yield { message, place: exportPlace(context, file), agentPath: agent.path, fix: hint }
      }
      for (const { key, refused } of typeof config === 'object' ? config.tools.entries : []) {
        if (refused === undefined) continue
        const { message, hint = 'correct the tool' } = refused
        yield { message, place: configPlace(context, agent, ['tools', key], 'value'), agentPath: agent.path, fix: hint }
      }
    }
  },
}
