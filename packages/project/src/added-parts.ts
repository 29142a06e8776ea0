import type { AgentConfig, AgentOptions, Scorers } from '@retinue/core/agent'
import type { Processor } from '@retinue/core/processors'
import type { Skill, Skills } from '@retinue/core/skills'
import type { AgentBlueprint, SkillBlueprint } from './blueprint.ts'
import type { SlotValues } from './slot-values.ts'

type Part = 'skills' | 'inputProcessors' | 'outputProcessors' | 'scorers'
type Added = { readonly [P in Part]: AgentOptions[P] | undefined }

/**
 * What files add to the skills, processors and scorers of a config (B11.4): the config's win, and its processors come first. Where
 * the config has a function, it is asked for each request, and what it gives stands in the place of a list that is written out.
 */
export function addedParts(blueprint: AgentBlueprint, config: AgentConfig, values: SlotValues): Added {
  const { inputProcessors, outputProcessors } = blueprint
  const valuesOf = (files: readonly string[], slot: 'input-processor' | 'output-processor'): Processor[] => {
    return files.map((file) => values.of(slot, file))
  }
  return {
    skills: withSkillFiles(blueprint, config.skills, values),
    inputProcessors: withProcessors(valuesOf(inputProcessors, 'input-processor'), config.inputProcessors),
    outputProcessors: withProcessors(valuesOf(outputProcessors, 'output-processor'), config.outputProcessors),
    scorers: withScorers(blueprint.scorers, config.scorers, values),
  }
}

/** What is no list of skills, from a function, is left as it is: core says what is wrong with it. */
function withSkillFiles(
  { skills: planned }: AgentBlueprint,
  own: Added['skills'],
  values: SlotValues,
): Added['skills'] {
  if (planned.length === 0) return own
  const files = planned.map((skill) => skillOf(skill, values))
  const merge = (given: Skills | undefined): Skills => {
    if (given !== undefined && (typeof given !== 'object' || given === null)) return given
    const winners: readonly Skill[] = Object.values(given ?? {})
    const taken = new Set(winners.map((skill) => skill?.name))
    return [...winners, ...files.filter(({ name }) => !taken.has(name))]
  }
  return typeof own === 'function' ? async (context) => merge(await own(context)) : merge(own)
}

/** The file's name is the skill's, where the module says no other. */
function skillOf(skill: SkillBlueprint, values: SlotValues): Skill {
  // As with what modules export: what of its fields core would not take is an error of `check`.
  if ('fields' in skill) return skill.fields as unknown as Skill
  return { name: skill.name, ...values.of('skill', skill.file) }
}

function withProcessors(files: readonly Processor[], own: Added['inputProcessors']): Added['inputProcessors'] {
  if (files.length === 0) return own
  const merge = (given: readonly Processor[] | undefined): readonly Processor[] => {
    return given === undefined || Array.isArray(given) ? [...(given ?? []), ...files] : given
  }
  return typeof own === 'function' ? async (context) => merge(await own(context)) : merge(own)
}

function withScorers(modules: AgentBlueprint['scorers'], own: Added['scorers'], values: SlotValues): Added['scorers'] {
  if (modules.length === 0) return own
  const scorers: Record<string, Scorers[string]> = Object.create(null)
  for (const { key, file } of modules) scorers[key] = values.of('scorer', file)
  return Object.assign(scorers, own)
}
