import { isTool } from '@retinue/core/tools'
import type { AgentIdentities } from './agent-identities.ts'
import { skillsFact } from './describe-added.ts'
import { describeEntries } from './describe-agent.ts'
import { delegationSet } from './describe-hooks.ts'
import { instructionsFact } from './describe-instructions.ts'
import { modelFact } from './describe-model.ts'
import type { BackgroundFact, ConfigFact, MapFact, ReachFact, TextFact, ToolEntryFact } from './facts.ts'
import { optionsRefusals, toolRefusal } from './refusal.ts'
import { isPlainRecord, isRecord, kindOfValue } from './value-kind.ts'

/** What rules need to know of the config of the agent in the directory `dirName`. */
export function describeConfig(
  dirName: string,
  config: Readonly<Record<string, unknown>>,
  identities: AgentIdentities,
): ConfigFact {
  const { workspace, memory } = config
  return {
    id: textFact(config['id']),
    name: textFact(config['name']),
    description: textFact(config['description']),
    model: modelFact(config['model']),
    instructions: instructionsFact(config['instructions']),
    tools: mapFact(config['tools'], toolEntries),
    agents: mapFact(config['agents'], (agents) => describeEntries(agents, identities)),
    workspace: {
      form: Object.hasOwn(config, 'workspace') ? (workspace ? 'given' : 'off') : 'absent',
      tools: isRecord(workspace) && isRecord(workspace['tools']) ? Object.keys(workspace['tools']) : [],
    },
    memory: Object.hasOwn(config, 'memory') ? (memory ? 'given' : 'off') : 'absent',
    skills: skillsFact(config['skills']),
    scorers: isRecord(config['scorers']) ? Object.keys(config['scorers']) : [],
    delegation: delegationSet(config['defaultOptions']),
    providers: providersOf(config['defaultOptions']),
    reach: reachOf(config),
    background: backgroundOf(config),
    refusals: optionsRefusals(dirName, config),
  }
}

function textFact(value: unknown): TextFact {
  if (value === undefined || value === null) return { form: 'absent' }
  return typeof value === 'string' ? { form: 'text', text: value } : { form: 'wrong', kind: kindOfValue(value) }
}

function mapFact<Entry>(value: unknown, entries: (map: Record<string, unknown>) => Entry[]): MapFact<Entry> {
  const kind = kindOfValue(value)
  if (value === undefined || value === null) return { form: 'absent', kind, entries: [] }
  if (kind === 'function') return { form: 'function', kind, entries: [] }
  if (!isPlainRecord(value) || kind === 'promise' || kind === 'tool') return { form: 'wrong', kind, entries: [] }
  return { form: 'map', kind, entries: entries(value) }
}

function toolEntries(tools: Record<string, unknown>): ToolEntryFact[] {
  return Object.entries(tools).map(([key, tool]) => {
    const valid = isTool(tool)
    return { key, valid, kind: kindOfValue(tool), refused: valid ? toolRefusal(key, tool) : undefined }
  })
}

/** What of the options bears on reaching subagents. Of default options that are a function, only running it tells. */
export function reachOf({ defaultOptions, maxDepth }: Readonly<Record<string, unknown>>): ReachFact {
  const { activeTools, toolChoice, prepareStep } = isRecord(defaultOptions) ? defaultOptions : {}
  const isNames = Array.isArray(activeTools) && activeTools.every((name) => typeof name === 'string')
  const forced = isRecord(toolChoice) && typeof toolChoice['toolName'] === 'string' ? toolChoice['toolName'] : undefined
  return {
    ...(isNames ? { activeTools } : {}),
    ...(toolChoice === 'none' ? { toolChoice } : forced === undefined ? {} : { toolChoice: { tool: forced } }),
    isPrepared: prepareStep !== undefined || typeof defaultOptions === 'function',
    ...(typeof maxDepth === 'number' ? { maxDepth } : {}),
  }
}

/** The names of the providers that the application registers itself. */
function providersOf(options: unknown): string[] {
  const providers = isRecord(options) ? options['providers'] : undefined
  return isRecord(providers) ? Object.keys(providers) : []
}

/** What it says of background tasks; what is wrong with it, core says. */
export function backgroundOf(config: Readonly<Record<string, unknown>>): BackgroundFact {
  const { backgroundTasks, tools, agents, defaultOptions, workspace } = config
  const given = isRecord(backgroundTasks) ? backgroundTasks['tools'] : undefined
  const named = isRecord(given) ? Object.entries(given) : []
  const isOn = ([, task]: readonly [string, unknown]): boolean =>
    task === true || (isRecord(task) && task['enabled'] !== false)
  const isCode = [tools, agents, defaultOptions, workspace].some((value) => typeof value === 'function')
  return {
    named: named.map(([name]) => name),
    turnedOn: named.filter(isOn).map(([name]) => name),
    mayBringTools: isCode || (isRecord(defaultOptions) && defaultOptions['toolsets'] !== undefined),
  }
}
