import { isConfiguredByAgentFile, isTopLevel } from '../discover/agent-dir.ts'
import type { ConfigFact } from '../facts/facts.ts'
import type { AgentPlan } from '../plan.ts'
import { aKind, configPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** A field that holds what it can't hold. */
interface Fault {
  readonly path: readonly string[]
  readonly message: string
  readonly fix: string
}

/** B11.3: fields that no other rule speaks of. */
export const configInvalid: Rule = {
  code: 'config-invalid',
  severity: 'error',
  why: 'an agent made of this would fail when it is made or when it first runs',
  *check(context) {
    for (const plan of context.plans) {
      for (const { path, message, fix } of faults(plan)) {
        yield { message, place: configPlace(context, plan.agent, path, 'value'), agentPath: plan.agent.path, fix }
      }
    }
  },
}

function* faults({ agent, config, instructions: source }: AgentPlan): Iterable<Fault> {
  if (typeof config !== 'object') return
  // In a frontmatter there is no config to speak of.
  const at = isConfiguredByAgentFile(agent) ? '' : 'config.'
  yield* textFaults(config, !isTopLevel(agent), at)
  const { model, instructions, refusals } = config
  if (model.form === 'wrong') {
    const code = "write 'provider/model', an AI SDK model, a list of those, or a function that gives one"
    const fix = at === '' ? 'write provider/model, or a list of those' : code
    yield { path: ['model'], message: `${at}model is ${aKind(model.kind)}`, fix }
  }
  // Another source may win over it; what loses is not checked.
  if (instructions.form === 'wrong' && source === 'config') {
    const fix = 'write text, a system message, a list of those, or a function that gives one of them'
    yield { path: ['instructions'], message: `config.instructions is ${aKind(instructions.kind)}`, fix }
  }
  yield* mapFaults(config)
  for (const refused of refusals) {
    const { message, hint = 'correct the option', option, members = [] } = refused
    yield { path: option === undefined ? [] : [option, ...members], message, fix: hint }
  }
}

function* textFaults(config: ConfigFact, isSubagent: boolean, at: string): Iterable<Fault> {
  for (const field of ['id', 'name', 'description'] as const) {
    const fact = config[field]
    // A subagent's description has a rule of its own.
    if (field === 'description' && isSubagent) continue
    const blank = fact.form === 'text' && field === 'id' && fact.text.trim() === ''
    if (fact.form !== 'wrong' && !blank) continue
    const message = `${at}${field} is ${fact.form === 'wrong' ? aKind(fact.kind) : 'blank'}`
    yield { path: [field], message, fix: `write text, or leave ${field} out` }
  }
}

function* mapFaults({ tools, agents }: ConfigFact): Iterable<Fault> {
  if (tools.form === 'wrong') {
    const fix = 'write an object of tools by their names, or a function that gives one'
    yield { path: ['tools'], message: `config.tools is ${aKind(tools.kind)}`, fix }
  }
  for (const { key, valid, kind } of tools.entries) {
    const fix = 'write createTool({ id, description, inputSchema, execute })'
    if (!valid) yield { path: ['tools', key], message: `config.tools.${key} is ${aKind(kind)}, not a tool`, fix }
  }
  if (agents.form === 'wrong') {
    const fix = 'write an object of agents by their keys, or a function that gives one'
    yield { path: ['agents'], message: `config.agents is ${aKind(agents.kind)}`, fix }
  }
  for (const { key, kind, agent } of agents.entries) {
    const fix = 'write new Agent({ id, description, instructions, model })'
    if (agent === undefined)
      yield { path: ['agents', key], message: `config.agents.${key} is ${aKind(kind)}, not an agent`, fix }
  }
}
