import { FILE_START } from '../discover/line-index.ts'
import type { FieldRefusal } from '../facts/facts.ts'
import { fieldRefusals } from '../facts/skill-fields.ts'
import { legalSkillName, unknownNameFix } from '../names.ts'
import type { PlannedSkill } from '../plan.ts'
import { propertyPlace } from './places.ts'
import type { Place, Rule, RuleContext } from './rule.ts'

/** B1.1, B11.2: what core would refuse when the agent is made. */
export const skillInvalid: Rule = {
  code: 'skill-invalid',
  severity: 'error',
  why: 'a model chooses a skill by its name and description, and then follows its instructions',
  *check(context) {
    for (const { agent, skills } of context.plans) {
      for (const skill of skills) {
        for (const refusal of refusalsOf(context, skill)) {
          yield {
            message: messageOf(`the skill "${skill.file.slice(agent.dir.length + 1)}"`, refusal, skill),
            place: placeOf(context, refusal, skill),
            agentPath: agent.path,
            fix: fixOf(refusal, skill),
          }
        }
      }
    }
  },
}

function refusalsOf({ loaded }: RuleContext, { file, text }: PlannedSkill): readonly FieldRefusal[] {
  const fact = loaded.facts.get(file)
  if (text === undefined) return fact?.kind === 'skill' ? fact.refusals : []
  // Of what can't be read nothing is known, and it has a finding of its own.
  return text.unread !== undefined || text.head.shape.errors.length > 0 ? [] : fieldRefusals(text.fields)
}

function messageOf(skill: string, { field, state }: FieldRefusal, { text }: PlannedSkill): string {
  // Without a name of its own, a skill has that of its file: it is that one that can't be used.
  if (field === 'name' && text !== undefined && !Object.hasOwn(text.head.values, field))
    return `${skill} has no name, and "${text.key}" can't be one`
  if (state === 'missing' || (state === 'blank' && field === 'instructions')) return `${skill} has no ${field}`
  if (state === 'unknown') return `"${field}" means nothing in ${skill}`
  return `the ${keyOf(field, text)} of ${skill} ${state === 'blank' ? 'is blank' : "can't be used"}`
}

function fixOf(refusal: FieldRefusal, skill: PlannedSkill): string {
  const { field } = refusal
  const { text } = skill
  if (field === 'name') return nameFix(skill)
  if (refusal.state === 'unknown') return unknownNameFix(field, refusal.known)
  const { state, wanted } = refusal
  if (text === undefined)
    return state === 'wrong' || field !== 'description' ? `write ${wanted}` : `write ${DESCRIPTION}`
  const hasHead = text.head.shape.exportAt !== undefined
  if (field === 'description' && !hasHead)
    return `begin the file with a line of ---, a line with ${DESCRIPTION}, and another line of ---`
  return field === 'description' && state !== 'wrong' ? `write ${DESCRIPTION}` : `write ${AS_TEXT.get(field) ?? wanted}`
}

const DESCRIPTION = "description: 'What the skill does, and when to use it.'"

/** What is wanted, in the words of a file of text. */
const AS_TEXT: ReadonlyMap<string, string> = new Map([
  ['instructions', 'what the model shall do, below the frontmatter'],
  ['metadata', 'keys with values below it'],
  ['allowedTools', 'the names of tools, with blanks between them'],
])

function nameFix({ name, text }: PlannedSkill): string {
  const written = text === undefined ? name : (text.head.values['name'] ?? text.key)
  const legal = legalSkillName(String(written))
  if (text?.folder !== undefined && legal !== text.key && !Object.hasOwn(text.head.values, 'name'))
    return `rename the folder to "${legal}"`
  return `write name: '${legal}'`
}

function keyOf(field: string, text: PlannedSkill['text']): string {
  return text !== undefined && field === 'allowedTools' ? 'allowed-tools' : field
}

function placeOf(context: RuleContext, { field, state }: FieldRefusal, { file, text }: PlannedSkill): Place {
  if (text === undefined) return propertyPlace(context, file, [field], state === 'unknown' ? 'key' : 'value')
  const { shape } = text.head
  const key = keyOf(field, text)
  if (shape.properties.has(key)) return propertyPlace(context, file, [key], 'value')
  if (field !== 'instructions') return { file, at: FILE_START }
  const line = shape.text.slice(0, shape.text.length - text.body.length).split('\n').length
  return { file, at: { line, column: 1, length: 1 } }
}
