import type { RequestContextLike } from '../context/request-context.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'

/** A text, or a function that gives it when it is asked for. */
export type SkillText = string | ((context: SkillContext) => string | Promise<string>)

/**
 * What a function that gives a text of a skill is told, each time that a model loads it. What it throws, the model reads as the tool's
 * error.
 */
export interface SkillContext {
  readonly requestContext: RequestContextLike
  /** Aborted when the run is, or when the tool's time is up. */
  readonly abortSignal: AbortSignal
}

/**
 * Instructions for one kind of work, in the form of agentskills.io: a model always sees the name and the description, loads the
 * instructions when it needs them, and reads a reference where they send it there.
 */
export interface Skill {
  /** 1 to 64 letters a-z, digits and single hyphens. */
  readonly name: string
  /** What the skill does, and when to use it: 1 to 1,024 characters. */
  readonly description: string
  readonly instructions: SkillText
  /** More to read, by path as the instructions name it: `references/forms.md`. */
  readonly references?: Readonly<Record<string, SkillText>>
  readonly license?: string
  /** What the skill needs around it. Kept, and told to nobody. */
  readonly compatibility?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The tools that the skill was written for. It grants nothing: an agent has the tools that it has. */
  readonly allowedTools?: readonly string[]
}

/** Skills as a list, or as a record whose keys mean nothing: a skill is called by its own name. */
export type Skills = readonly Skill[] | Readonly<Record<string, Skill>>

/** The tool that loads skills, by the name that the model sees. */
export const SKILL_TOOL = 'skill'

/** Whether an agent has skills, or a function that may give it some: then its tool's name is taken. */
export function mayHaveSkills(skills: unknown): boolean {
  return (
    typeof skills === 'function' || (isObject(skills) || Array.isArray(skills) ? Object.keys(skills).length > 0 : false)
  )
}

const LONGEST_DESCRIPTION = 1024
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/

type Check = readonly [fits: (value: unknown) => boolean, wanted: string]

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const isSkillText = (value: unknown): boolean => isText(value) || typeof value === 'function'
const isTextOrEmpty = (value: unknown): boolean => typeof value === 'string' || typeof value === 'function'
const TEXT: Check = [isText, 'text']

const FIELDS: Readonly<Record<keyof Skill, Check>> = {
  name: [
    (value) => typeof value === 'string' && NAME.test(value),
    '1 to 64 letters a-z, digits and single hyphens, such as "pdf-forms"',
  ],
  description: [
    (value) => isText(value) && String(value).length <= LONGEST_DESCRIPTION,
    `a text of at most ${LONGEST_DESCRIPTION} characters that says what the skill does and when to use it`,
  ],
  instructions: [isSkillText, 'text, or a function that gives it'],
  references: [
    (value) => isObject(value) && Object.values(value).every(isTextOrEmpty),
    'an object of texts, or of functions that give them, by path',
  ],
  license: TEXT,
  compatibility: TEXT,
  metadata: [isObject, 'an object'],
  allowedTools: [(value) => Array.isArray(value) && value.every(isText), 'a list of names'],
}

const NEEDED: ReadonlySet<string> = new Set(['name', 'description', 'instructions'])

/** Throws `skill-invalid` for what is no skill; `data` says which `field` is to blame, and what is `wanted` or `known`. */
export function assertSkill(skill: unknown, of = ''): asserts skill is Skill {
  if (!isObject(skill)) throw invalid(`A skill${of} is no object.`, EXAMPLE)
  const { name } = skill
  const what = typeof name === 'string' ? `the skill ${JSON.stringify(name)}${of}` : `a skill${of}`
  for (const [field, [fits, wanted]] of Object.entries(FIELDS)) {
    const value = skill[field]
    if (value === undefined ? !NEEDED.has(field) : fits(value)) continue
    const problem = value === undefined ? 'is missing' : value === '' ? 'is empty' : "can't be used"
    throw invalid(`The ${field} of ${what} ${problem}.`, `It is ${wanted}.`, { field, wanted })
  }
  const unknown = Object.keys(skill).find((key) => !Object.hasOwn(FIELDS, key))
  if (unknown === undefined) return
  const known = Object.keys(FIELDS)
  const message = `The field ${unknown} of ${what} is not known.`
  throw invalid(message, `Known are ${known.join(', ')}.`, { field: unknown, known })
}

const EXAMPLE = "createSkill({ name: 'pdf-forms', description: 'Fills in PDF forms. Use it …', instructions: '…' })"

/** Throws `skill-invalid`, or `name-collision` for two skills of one name. A function is asked when the agent runs. */
export function assertSkills(skills: unknown, agentId: string): void {
  if (skills === undefined || typeof skills === 'function') return
  if (!isObject(skills) && !Array.isArray(skills))
    throw invalid(`The skills of the agent "${agentId}" are no list.`, 'skills: [skill]')
  const names = new Set<string>()
  for (const skill of Object.values(skills)) {
    assertSkill(skill, ` of the agent "${agentId}"`)
    if (names.has(skill.name))
      throw new RetinueError({
        code: 'name-collision',
        message: `The agent "${agentId}" has two skills called "${skill.name}".`,
        hint: 'A model loads a skill by its name: rename one of the two.',
        data: { agentId, name: skill.name },
      })
    names.add(skill.name)
  }
}

function invalid(message: string, hint: string, data: Record<string, unknown> = {}): RetinueError {
  return new RetinueError({ code: 'skill-invalid', message, hint, data })
}
