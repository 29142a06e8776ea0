import { RetinueError } from '../errors/retinue-error.ts'
import type { SystemMessage } from '../messages/message.ts'
import { createTool } from '../tools/create-tool.ts'
import type { Tool } from '../tools/tool.ts'
import { SKILL_TOOL, type Skill, type SkillContext, type SkillText } from './skill.ts'

/** How skills are offered to a model: what it is told of them, and the tool that it loads one with. */
export interface SkillOffer {
  readonly message: SystemMessage
  readonly tool: Tool
}

/** What a call gives: a skill without its references' texts, or one of these. */
type Loaded =
  | { readonly name: string; readonly instructions: string; readonly references: readonly string[] }
  | { readonly name: string; readonly reference: string; readonly text: string }

export function offerSkills(skills: readonly Skill[]): SkillOffer {
  return { message: { role: 'system', content: catalogue(skills) }, tool: skillTool(skills) }
}

const LEAD = `You have skills: instructions for particular kinds of work. Where the description of one fits what you are to do, load it with the tool "${SKILL_TOOL}" before you begin, and follow it. Load none that you do not need.`

/** A description is one line, so that none of it looks like another skill. */
function catalogue(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ').trim()}`)
  return `${LEAD}\n\n${lines.join('\n')}`
}

function skillTool(skills: readonly Skill[]): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return createTool({
    id: SKILL_TOOL,
    description:
      'Loads a skill: its instructions, and the paths of its references. With "reference", reads that reference instead.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: [...byName.keys()], description: 'The skill.' },
        reference: {
          type: 'string',
          description: 'The path of a reference, as the loaded skill lists it. Leave it out to load the skill.',
        },
      },
      required: ['name'],
      additionalProperties: false,
    },
    execute: ({ name, reference }, context): Promise<Loaded> => {
      const skill = byName.get(String(name))
      // The schema lets no other name through.
      if (skill === undefined) throw new TypeError(`There is no skill "${String(name)}".`)
      const path = typeof reference === 'string' ? reference.trim() : ''
      return path === '' ? load(skill, context) : read(skill, path, context)
    },
    toModelOutput: modelText,
  })
}

async function load({ name, instructions, references = {} }: Skill, context: SkillContext): Promise<Loaded> {
  const text = await textOf(instructions, context, `the instructions of the skill "${name}"`)
  return { name, instructions: text, references: Object.keys(references) }
}

async function read({ name, references = {} }: Skill, asked: string, context: SkillContext): Promise<Loaded> {
  const path = pathMeant(Object.keys(references), asked)
  const text = path === undefined ? undefined : references[path]
  if (path === undefined || text === undefined) throw noReference(name, asked, Object.keys(references))
  return { name, reference: path, text: await textOf(text, context, `"${path}" of the skill "${name}"`) }
}

/** Models write a path from where it stands: `./references/forms.md` and `forms.md` are that one, if no other ends so. */
function pathMeant(paths: readonly string[], asked: string): string | undefined {
  const path = asked.replace(/^(?:\.?\/)+/, '')
  if (paths.includes(path)) return path
  const [only, ...others] = paths.filter((known) => known.endsWith(`/${path}`))
  return others.length === 0 ? only : undefined
}

function noReference(name: string, asked: string, paths: readonly string[]): RetinueError {
  return new RetinueError({
    code: 'tool-arguments-invalid',
    message: `The skill "${name}" has no reference ${JSON.stringify(asked)}.`,
    hint: paths.length === 0 ? 'It has none at all.' : `It has ${paths.join(', ')}.`,
  })
}

async function textOf(text: SkillText, { requestContext, abortSignal }: SkillContext, what: string): Promise<string> {
  const given: unknown = typeof text === 'function' ? await text({ requestContext, abortSignal }) : text
  if (typeof given === 'string') return given
  throw new TypeError(`The function for ${what} gave no text.`)
}

/** The mark shows the model where the skill ends and other text begins. */
function modelText(loaded: Loaded): string {
  if ('text' in loaded) return loaded.text
  const { name, instructions, references } = loaded
  const whole = `<skill name="${name}">\n${instructions.trim()}\n</skill>`
  const [first] = references
  if (first === undefined) return whole
  const how = `${SKILL_TOOL}(${JSON.stringify({ name, reference: first })})`
  const list = references.map((path) => `- ${path}`).join('\n')
  return `${whole}\n\nReferences of this skill. Read one where the instructions send you to it, such as with ${how}:\n${list}`
}
