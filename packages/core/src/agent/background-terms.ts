import { ANSWER_TOOL, answerTool } from '../background/answer-tool.ts'
import { agentInvalid } from '../errors/option-errors.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import type { LoopTool, ToolSet } from '../loop/run.ts'
import { type TaskTerms, taskTerms } from '../loop/run-tasks.ts'
import { isObject } from '../shared/records.ts'
import type { AgentTask, AgentTasks } from './agent-tasks.ts'
import { toolSet } from './agent-tools.ts'

export type BackgroundTools = ReadonlyMap<string, TaskTerms>

/** The tools of an agent as they are where background tasks are turned on, and which of them can run there. */
export interface BackgroundSet {
  readonly tools: ToolSet
  /** Undefined where none can. */
  readonly terms: BackgroundTools | undefined
}

/**
 * Which of an agent's tools can run in the background: those that it names, and of the others those that say so themselves, as a subagent
 * does that has such tools of its own. A name that no tool has in this run is one of a tool that others have.
 */
export function backgroundSet(agentId: string, tools: ToolSet, own: AgentTasks | undefined): BackgroundSet {
  const named = own?.tools ?? {}
  const terms = new Map<string, TaskTerms>()
  const byName = new Map<string, LoopTool>()
  for (const [name, tool] of tools.byName) {
    const task = tool.execute && termsOf(Object.hasOwn(named, name) ? named[name] : undefined, tool)
    if (task) terms.set(name, task)
    byName.set(name, task ? inBackground(name, tool, task) : tool)
  }
  if ([...terms.values()].some(({ ask }) => ask === 'parent')) {
    if (byName.has(ANSWER_TOOL)) throw nameTaken(agentId)
    byName.set(ANSWER_TOOL, answerTool)
  }
  return terms.size === 0 ? { tools, terms: undefined } : { tools: toolSet(byName), terms }
}

/**
 * Throws `agent-invalid` for a name that no tool has of an agent whose tools are always the same, and for that of a tool which the client
 * runs.
 */
export function assertNamed(agentId: string, tools: ToolSet, own: AgentTasks | undefined): void {
  const unknown = Object.keys(own?.tools ?? {}).filter((name) => !tools.byName.has(name))
  if (unknown.length > 0)
    throw agentInvalid(
      `The backgroundTasks of the agent "${agentId}" name what is no tool and no subagent of it: ${unknown.join(', ')}.`,
      `It has ${[...tools.byName.keys()].join(', ') || 'none'}.`,
      { agentId, unknown },
    )
  const clients = [...(namedTerms(own)?.keys() ?? [])].filter((name) => !tools.byName.get(name)?.execute)
  if (clients.length > 0)
    throw agentInvalid(
      `The backgroundTasks of the agent "${agentId}" name what its client runs: ${clients.join(', ')}.`,
      'Give the tool an execute, or leave it out.',
      { agentId, clients },
    )
}

/** What an agent says of its tools itself, where they are not known before it runs. */
export function namedTerms(own: AgentTasks | undefined): BackgroundTools | undefined {
  const terms = new Map<string, TaskTerms>()
  for (const [name, task] of Object.entries(own?.tools ?? {}))
    if (task !== false && (task === true || task.enabled !== false))
      terms.set(name, taskTerms(task === true ? {} : task))
  return terms.size === 0 ? undefined : terms
}

function termsOf(named: boolean | AgentTask | undefined, tool: LoopTool): TaskTerms | undefined {
  if (named === undefined) return tool.ownTerms?.()
  if (named === false || (named !== true && named.enabled === false)) return undefined
  return taskTerms(named === true ? {} : named)
}

/**
 * How a subagent is run that its parent does not name: as its own tools are that can run in the background, by the widest of their limits.
 */
export function inheritedTerms(terms: BackgroundTools | undefined): TaskTerms | undefined {
  if (!terms) return undefined
  const all = [...terms.values()]
  const timeouts = all.map(({ timeoutMs }) => timeoutMs)
  return {
    timeoutMs: timeouts.includes(undefined) ? undefined : Math.max(...(timeouts as number[])),
    maxRetries: Math.max(...all.map(({ maxRetries }) => maxRetries)),
    // What is said of its own tasks holds for them alone.
    detached: false,
    ask: undefined,
    modelMayChoose: false,
  }
}

/** The model is told that the call does not bring the result, and says where it is run if it may. */
function inBackground(name: string, tool: LoopTool, { modelMayChoose }: TaskTerms): LoopTool {
  const { description, inputSchema } = tool.definition
  const note = modelMayChoose
    ? `With background: true, and by default, the call returns at once and the result comes later, in a message.`
    : 'It runs in the background: the call returns at once, and the result comes later, in a message.'
  const told = { ...tool.definition, description: description ? `${description} ${note}` : note }
  if (!modelMayChoose) return { ...tool, definition: told }
  const properties = isObject(inputSchema['properties']) ? inputSchema['properties'] : {}
  if (Object.hasOwn(properties, FIELD)) throw fieldTaken(name)
  const schema = { ...inputSchema, properties: { ...properties, [FIELD]: FIELD_SCHEMA } } as typeof inputSchema
  return { ...tool, definition: { ...told, inputSchema: schema }, check: (args) => checkChosen(args, tool) }
}

/** In which the model says where a call is run. */
const FIELD = 'background'

const FIELD_SCHEMA = {
  type: 'boolean',
  description: 'Whether to go on without waiting for the result. Default: true.',
} as const

function checkChosen(args: unknown, tool: LoopTool): ReturnType<LoopTool['check']> {
  if (!isObject(args) || !Object.hasOwn(args, FIELD)) return tool.check(args)
  const { [FIELD]: chosen, ...rest } = args
  // Models write null for what they leave out.
  if (typeof chosen === 'boolean' || chosen === null) return tool.check(rest)
  return { ok: false, issues: `${FIELD}: it must be true or false` }
}

function nameTaken(agentId: string): RetinueError {
  return new RetinueError({
    code: 'name-collision',
    message: `The agent "${agentId}" has a tool called "${ANSWER_TOOL}", with which it answers what its background tasks ask.`,
    hint: "Rename the tool, or leave out ask: 'parent'.",
    data: { agentId, name: ANSWER_TOOL },
  })
}

function fieldTaken(name: string): RetinueError {
  return new RetinueError({
    code: 'schema-unsupported',
    message: `The inputSchema of "${name}" has a field ${FIELD}, which says where the call is run where modelMayChoose is on.`,
    hint: 'Rename the field, or turn modelMayChoose off.',
    data: { tool: name, field: FIELD },
  })
}
