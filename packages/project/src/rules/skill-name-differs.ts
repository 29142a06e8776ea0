import { legalSkillName } from '../names.ts'
import { propertyPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** The specification has a skill called as its folder is. */
export const skillNameDiffers: Rule = {
  code: 'skill-name-differs',
  severity: 'warning',
  why: 'the model calls the skill by the name in its frontmatter, people by its folder, and other programs refuse a skill where the two differ',
  *check(context) {
    for (const { agent, skills } of context.plans) {
      for (const { name, file, text } of skills) {
        // A name that can't be one has a finding of its own, which may say all.
        if (text?.folder === undefined || legalSkillName(name) === text.key) continue
        yield {
          message: `the skill in the folder "${text.key}" is called "${name}"`,
          place: propertyPlace(context, file, ['name'], 'value'),
          agentPath: agent.path,
          fix: `rename the folder to "${name}", or write name: ${text.key}`,
        }
      }
    }
  },
}
