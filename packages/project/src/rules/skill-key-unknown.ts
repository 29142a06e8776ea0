import { SKILL_KEYS } from '../discover/discover-skills.ts'
import { didYouMean } from '../names.ts'
import { propertyPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.10: a key of a skill's frontmatter that nobody reads. */
export const skillKeyUnknown: Rule = {
  code: 'skill-key-unknown',
  severity: 'warning',
  why: 'the frontmatter of a skill has the keys of agentskills.io: what stands under another has no effect here',
  *check(context) {
    for (const { agent, skills } of context.plans) {
      for (const { file, text } of skills) {
        const unknown = Object.keys(text?.head.values ?? {}).filter((key) => !SKILL_KEYS.includes(key))
        for (const key of unknown) {
          const meant = didYouMean(key, SKILL_KEYS)
          yield {
            message: `"${key}" means nothing in the frontmatter of a skill`,
            place: propertyPlace(context, file, [key], 'key'),
            agentPath: agent.path,
            fix:
              meant === undefined
                ? `move it under "metadata", or remove it; known are ${SKILL_KEYS.join(', ')}`
                : `did you mean "${meant}"?`,
          }
        }
      }
    }
  },
}
