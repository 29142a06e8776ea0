import type { RetinueOptions } from '@retinue/core'
import type { AgentOptions } from '@retinue/core/agent'
import type { ToolOptions } from '@retinue/core/tools'
import type { ESTree } from 'rolldown/utils'
import { plain } from './plain-expression.ts'

/** What an application is made of here. */
const APPLICATION: Readonly<Record<keyof RetinueOptions, true>> = {
  agents: true,
  storage: true,
  memory: true,
  logger: true,
  durable: true,
  backgroundTasks: true,
}

/** What an agent is made of here. */
const AGENT: Readonly<Record<keyof AgentOptions, true>> = {
  id: true,
  name: true,
  description: true,
  instructions: true,
  model: true,
  tools: true,
  agents: true,
  memory: true,
  workspace: true,
  skills: true,
  inputProcessors: true,
  outputProcessors: true,
  defaultOptions: true,
  inputSchema: true,
  outputSchema: true,
  relay: true,
  delegation: true,
  budget: true,
  scorers: true,
  maxDepth: true,
  maxRetries: true,
  requireToolApproval: true,
  durable: true,
  backgroundTasks: true,
}

/** What a tool is made of here. */
const TOOL: Readonly<Record<keyof ToolOptions, true>> = {
  id: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  suspendSchema: true,
  resumeSchema: true,
  requireApproval: true,
  toModelOutput: true,
  idempotent: true,
  version: true,
  background: true,
  execute: true,
}

/** What takes options of which only some mean something here: by the name that it is imported by. */
export const MAKERS: ReadonlyMap<string, { readonly what: string; readonly known: object }> = new Map([
  ['Mastra', { what: 'application', known: APPLICATION }],
  ['Agent', { what: 'agent', known: AGENT }],
  ['agentConfig', { what: 'agent', known: AGENT }],
  ['createTool', { what: 'tool', known: TOOL }],
])

/** What became of options that have another name, or another place, here. */
const FIXES: ReadonlyMap<string, string> = new Map([
  ['defaultGenerateOptions', 'say it in defaultOptions'],
  ['defaultStreamOptions', 'say it in defaultOptions'],
  ['defaultVNextStreamOptions', 'say it in defaultOptions'],
  ['evals', 'write a scorer: scorers'],
  ['workflows', 'write what it does as a supervisor with subagents, or as a tool'],
  ['voice', 'nothing here speaks'],
  ['server', 'write a server.ts'],
])

export interface LostOption {
  /** Undefined: what is spread into the options, or made elsewhere. */
  readonly name: string | undefined
  readonly node: ESTree.Node
  readonly fix: string
}

/** The options that mean nothing here, and what can't be seen from here. */
export function lostOptions(given: ESTree.Node | undefined, known: object): readonly LostOption[] {
  if (given === undefined) return []
  const options = plain(given)
  const unseen = 'see that nothing is in it that is not known here: "retinue check" says what is'
  if (options.type !== 'ObjectExpression') return [{ name: undefined, node: options, fix: unseen }]
  return options.properties.flatMap((property): LostOption[] => {
    const name = property.type === 'Property' && !property.computed ? nameOf(property.key) : undefined
    if (name === undefined) return [{ name, node: property, fix: unseen }]
    if (Object.hasOwn(known, name)) return []
    return [{ name, node: property, fix: FIXES.get(name) ?? 'see whether a file of the convention does it' }]
  })
}

export function nameOf(key: ESTree.Node): string | undefined {
  if (key.type === 'Identifier') return key.name
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : undefined
}
