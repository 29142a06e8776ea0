import type { AgentConfig, AgentOptions } from '@retinue/core/agent'
import type { Skill } from '@retinue/core/skills'
import type { SlotModule } from './discover/agent-dir.ts'
import { moduleName } from './layout.ts'
import type { AgentPlan } from './plan.ts'

type Values = ReadonlyMap<string, unknown>
type Part = 'skills' | 'inputProcessors' | 'outputProcessors' | 'scorers'
type Added = { readonly [P in Part]: AgentOptions[P] | undefined }

/**
 * What files add to the skills, processors and scorers of a config (B11.4): the config's win, and its processors come first. Where
 * the config has a function, it is asked for each request, and what it gives stands in the place of a list that is written out.
 */
export function addedParts(plan: AgentPlan, config: AgentConfig, values: Values): Added {
  const { agent } = plan
  return {
    skills: withSkillFiles(plan, config.skills, values),
    inputProcessors: withProcessors(agent.inputProcessors, config.inputProcessors, values),
    outputProcessors: withProcessors(agent.outputProcessors, config.outputProcessors, values),
    scorers: withScorers(plan.scorers, config.scorers, values),
  }
}

type Given<T> = T extends (...args: never[]) => unknown ? never : T

/** What is no list of skills, from a function, is left as it is: core says what is wrong with it. */
function withSkillFiles({ skills: planned }: AgentPlan, own: Added['skills'], values: Values): Added['skills'] {
  if (planned.length === 0) return own
  const files = planned.map(
    ({ text, file }) => (text?.fields ?? moduleSkill(file, values.get(file))) as unknown as Skill,
  )
  const merge = (given: Given<Added['skills']>): Given<Added['skills']> => {
    if (given !== undefined && (typeof given !== 'object' || given === null)) return given
    const winners = Object.values(given ?? {}) as readonly Skill[]
    const taken = new Set(winners.map((skill) => skill?.name))
    return [...winners, ...files.filter(({ name }) => !taken.has(name))]
  }
  return typeof own === 'function' ? async (context) => merge(await own(context)) ?? [] : merge(own)
}

/** The file's name is the skill's, where the module says no other. */
function moduleSkill(file: string, value: unknown): object {
  const name = moduleName(file.slice(file.lastIndexOf('/') + 1))?.base
  return { name, ...(value as object) }
}

type Processors = Added['inputProcessors']

function withProcessors(modules: readonly SlotModule[], own: Processors, values: Values): Processors {
  if (modules.length === 0) return own
  const files = modules.map(({ file }) => values.get(file)) as unknown as Given<NonNullable<Processors>>
  const merge = (given: Given<Processors>): Given<NonNullable<Processors>> => {
    return given === undefined || Array.isArray(given) ? [...(given ?? []), ...files] : given
  }
  return typeof own === 'function' ? async (context) => merge(await own(context)) : merge(own)
}

function withScorers(modules: readonly SlotModule[], own: Added['scorers'], values: Values): Added['scorers'] {
  if (modules.length === 0) return own
  const scorers = Object.create(null) as Record<string, unknown>
  for (const { key, file } of modules) scorers[key] = values.get(file)
  return Object.assign(scorers, own) as Added['scorers']
}
