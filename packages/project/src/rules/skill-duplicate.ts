import { pathPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B1.5 for skills. Those that the config's win over have a finding of their own. */
export const skillDuplicate: Rule = {
  code: 'skill-duplicate',
  severity: 'error',
  why: 'a model loads a skill by its name: two of one name can not be told apart',
  *check({ plans }) {
    for (const { agent, skills } of plans) {
      const first = new Map<string, string>()
      for (const { name, file } of skills) {
        const other = first.get(name)
        if (other === undefined) first.set(name, file)
        else
          yield {
            message: `two skills are called "${name}": ${other} and ${file}`,
            place: pathPlace(file),
            agentPath: agent.path,
            fix: 'rename or remove one of them',
          }
      }
    }
  },
}
