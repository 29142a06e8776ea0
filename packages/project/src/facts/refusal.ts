import { Retinue } from '@retinue/core'
import { Agent, type AgentConfig } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import type { Tool } from '@retinue/core/tools'
import { nameProblem } from '../names.ts'
import type { Refusal } from './facts.ts'
import { isPlainRecord } from './value-kind.ts'

/**
 * Asks core itself whether it takes the options that no rule looks at, so that a wrong one is found here and not when the agent is
 * made. `name` is what its message calls the agent.
 */
export function optionsRefusals(name: string, config: Readonly<Record<string, unknown>>): readonly Refusal[] {
  const { id: _id, name: _name, description: _d, model: _m, instructions: _i, tools: _t, agents: _a, ...rest } = config
  const { skills, inputProcessors, outputProcessors, scorers, defaultOptions, backgroundTasks, ...others } = rest
  // To ask is to make an agent: most configs have nothing of all this.
  const refused = Object.keys(others).length === 0 ? undefined : refusalOf({ ...(others as AgentConfig), id: name })
  const parts = Object.entries({ skills, inputProcessors, outputProcessors, scorers })
  const added = parts.filter(hasValue).flatMap(([option, value]) => {
    const found = addedRefusal(name, { [option]: value })
    return found === undefined ? [] : [{ ...found, option }]
  })
  const all = [
    ...added,
    ...(defaultOptions === undefined ? [] : defaultsRefusals(name, defaultOptions)),
    ...(backgroundTasks === undefined ? [] : backgroundRefusals(name, backgroundTasks)),
  ]
  return refused === undefined ? all : [refused, ...all]
}

/** Each default option by itself, so that all that is wrong is told at once, each at its place. */
function defaultsRefusals(name: string, defaults: unknown): readonly Refusal[] {
  const option = 'defaultOptions'
  if (!isPlainRecord(defaults)) {
    const found = addedRefusal(name, { [option]: defaults })
    return found === undefined ? [] : [{ ...found, option }]
  }
  return Object.entries(defaults).flatMap(([member, value]) => {
    const found = addedRefusal(name, { [option]: { [member]: value } })
    return found === undefined ? [] : [{ ...found, option, members: [member] }]
  })
}

/** Each tool of which it says something by itself, and then the rest. */
function backgroundRefusals(name: string, backgroundTasks: unknown): readonly Refusal[] {
  const option = 'backgroundTasks'
  const refused = (value: unknown, ...members: string[]): readonly Refusal[] => {
    const found = addedRefusal(name, { [option]: value })
    return found === undefined ? [] : [{ ...found, option, members }]
  }
  const tools = isPlainRecord(backgroundTasks) ? backgroundTasks['tools'] : undefined
  if (!isPlainRecord(backgroundTasks) || !isPlainRecord(tools)) return refused(backgroundTasks)
  const each = Object.entries(tools).flatMap(([key, task]) => refused({ tools: { [key]: task } }, 'tools', key))
  return [...refused({ ...backgroundTasks, tools: {} }), ...each]
}

/** Why core takes the settings of an application's background tasks not, each by itself. */
export function backgroundTasksRefusals(settings: Readonly<Record<string, unknown>>): readonly Refusal[] {
  return Object.entries(settings).flatMap(([option, value]) => {
    const found = refusedBy(() => new Retinue({ agents: {}, backgroundTasks: { [option]: value } }))
    return found === undefined ? [] : [{ ...found, option }]
  })
}

/** The same for what files may add to as well: each is asked about by itself, so that all that is wrong is told at once. */
export function addedRefusal(name: string, option: Readonly<Record<string, unknown>>): Refusal | undefined {
  return refusalOf({ ...(option as AgentConfig), id: name })
}

/** The same for one tool: a schema, say, that no model can be told. */
export function toolRefusal(key: string, tool: Tool): Refusal | undefined {
  // A key that is no name has a rule of its own.
  const name = nameProblem(key) === undefined ? key : 'tool'
  return refusalOf({ id: 'agent', tools: { [name]: tool } })
}

/** What is there without a value is as good as absent. */
function hasValue([, value]: readonly [string, unknown]): boolean {
  return value !== undefined
}

function refusalOf(options: AgentConfig & { id: string }): Refusal | undefined {
  return refusedBy(() => new Agent(options))
}

function refusedBy(make: () => unknown): Refusal | undefined {
  try {
    make()
    return undefined
  } catch (error) {
    if (!isRetinueError(error)) throw error
    const { options, entry } = error.data
    const option: unknown = Array.isArray(options) ? options[0] : undefined
    return {
      message: error.message,
      hint: error.hint,
      option: typeof option === 'string' ? option : undefined,
      ...(typeof entry === 'string' ? { entry } : {}),
    }
  }
}
