import { isRetinueError } from '@retinue/core/errors'
import type { RememberedMessage } from '@retinue/core/memory'
import { type AgentModel, agentModels } from '../run/agent-models.ts'
import type { CommandFlags } from '../run/pending-text.ts'
import { safeLine, safeText } from '../safe-text.ts'
import type { Conversation } from './conversation.ts'
import type { LocalModels } from './local-models.ts'
import type { SessionModel } from './session-model.ts'

/** What a command works on. */
export interface ChatSession {
  readonly conversation: Conversation
  readonly model: SessionModel
  readonly localModels: LocalModels
  /** Options of the command line that a later command needs, too. */
  readonly flags: CommandFlags
}

export type SlashOutcome =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'refuse'; readonly text: string }
  | { readonly type: 'exit' }

interface SlashCommand {
  readonly usage: string
  readonly summary: string
  run(session: ChatSession, argument: string, columns: number): Promise<SlashOutcome> | SlashOutcome
}

const COMMANDS: ReadonlyMap<string, SlashCommand> = new Map<string, SlashCommand>([
  ['help', { usage: '/help', summary: 'Show this', run: help }],
  ['tree', { usage: '/tree', summary: 'Show the agents, their models and tools', run: tree }],
  [
    'model',
    {
      usage: '/model [provider/model]',
      summary: 'Show which model answers, or switch for this session',
      run: model,
    },
  ],
  ['clear', { usage: '/clear', summary: 'Begin a new conversation', run: clear }],
  ['threads', { usage: '/threads', summary: 'List the conversations with this agent', run: threads }],
  ['resume', { usage: '/resume number', summary: 'Go on with one of them', run: resume }],
  ['exit', { usage: '/exit', summary: 'End the chat', run: () => ({ type: 'exit' }) }],
])

export const COMMAND_NAMES: readonly string[] = [...COMMANDS.keys()].map((name) => `/${name}`)

const KEYS: readonly (readonly [string, string])[] = [
  ['Tab, Ctrl-T', 'Collapse or expand the tree of delegations'],
  ['Esc, Ctrl-C', 'Stop the turn; what was said until then stays'],
  ['y, n, e', 'Approve, decline or edit a call that waits; Esc: later'],
  ['\\ at the end', 'Go on in the next line; a pasted text is one message'],
  ['Ctrl-D', 'End the chat; so does Ctrl-C at an empty prompt'],
]

/** Runs a message that is a command; undefined for one that is none, such as a path. `columns`: how wide a table may be. */
export async function runSlashCommand(
  text: string,
  session: ChatSession,
  columns = 80,
): Promise<SlashOutcome | undefined> {
  const [, name, argument = ''] = /^\/([\w?-]*)(?:\s+(.*))?$/s.exec(text.trim()) ?? []
  if (name === undefined) return undefined
  const command = COMMANDS.get(name)
  if (!command) return refuse(`There is no command "/${name}". /help lists them.`)
  return command.run(session, argument.trim(), columns)
}

function help(_session: ChatSession, _argument: string, columns: number): SlashOutcome {
  const rows = [...[...COMMANDS.values()].map(({ usage, summary }) => [usage, summary] as const), ...KEYS]
  const left = Math.max(...rows.map(([usage]) => usage.length))
  const right = Math.max(...rows.map(([, summary]) => summary.length))
  const beside = left + 2 + right <= columns
  return say(
    rows.map(([usage, what]) => (beside ? `${usage.padEnd(left)}  ${what}` : `${usage}\n  ${what}`)).join('\n'),
  )
}

async function tree({ conversation, model }: ChatSession): Promise<SlashOutcome> {
  const agents = await agentModels(conversation.agent, model.choose)
  return say(agents.map((agent) => treeLine(agent)).join('\n'))
}

function treeLine({ key, depth, use, tools }: AgentModel): string {
  const used = use?.used ?? '(decided by each request)'
  const listed = tools.length === 0 ? '' : `  tools: ${tools.join(', ')}`
  return `${'  '.repeat(depth)}${key}  ${used}${listed}`
}

async function model(session: ChatSession, argument: string): Promise<SlashOutcome> {
  const { model: current, localModels } = session
  if (argument === '') {
    await localModels.refresh()
    return say(await modelReport(session))
  }
  if (argument === 'default') {
    current.reset()
    return say(await modelReport(session, 1))
  }
  const name = await nameOf(argument, localModels)
  if (name === undefined)
    return refuse(`There is no model ${argument} to pick. /model lists the models of this machine.`)
  try {
    const problem = await localModels.problemOf(name)
    if (problem !== undefined) return refuse(`${problem}\nThe model stays as it was.`)
    await current.pick(name)
  } catch (error) {
    if (!isRetinueError(error)) throw error
    return refuse(`${error.message}${error.hint === undefined ? '' : `\n${error.hint}`}\nThe model stays as it was.`)
  }
  return say(`${name} answers from now on, for every agent. "/model default" goes back.`)
}

/** A name, or the number of one that was offered. */
async function nameOf(argument: string, localModels: LocalModels): Promise<string | undefined> {
  if (!/^\d+$/.test(argument)) return argument
  if (localModels.names.length === 0) await localModels.refresh()
  return localModels.names[Number(argument) - 1]
}

async function modelReport({ conversation, model: current, localModels }: ChatSession, most?: number): Promise<string> {
  const agents = (await agentModels(conversation.agent, current.choose)).slice(0, most)
  const names = localModels.names
  const offered = names.map((name, at) => `  ${String(at + 1).padStart(String(names.length).length)}  ${name}`)
  const here = offered.length === 0 ? [] : ['On this machine, /model and the number picks one:', ...offered]
  return [...agents.map(modelLine), ...here].join('\n')
}

function modelLine({ key, depth, use }: AgentModel): string {
  const why = use?.why === undefined ? '' : `  (the config asks for ${use.requested}; ${use.why})`
  return `${'  '.repeat(depth)}${key}  ${use?.used ?? '(decided by each request)'}${why}`
}

function clear({ conversation }: ChatSession): SlashOutcome {
  conversation.clear()
  return say('A new conversation.')
}

async function threads({ conversation }: ChatSession): Promise<SlashOutcome> {
  const listed = await conversation.list()
  if (listed.length === 0) return say('There is no conversation with this agent yet.')
  const width = String(listed.length).length
  const lines = listed.map(({ threadId, title, updatedAt }, at) => {
    const here = threadId === conversation.threadId ? '  (this one)' : ''
    return `  ${String(at + 1).padStart(width)}  ${new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')}  ${safeLine(title)}${here}`
  })
  return say([...lines, '/resume and the number goes on with one.'].join('\n'))
}

async function resume({ conversation }: ChatSession, argument: string): Promise<SlashOutcome> {
  const listed = await conversation.list()
  const chosen = listed[Number(argument) - 1] ?? listed.find(({ threadId }) => threadId === argument)
  if (!chosen) return refuse(`There is no conversation ${argument || 'without a number'}. /threads lists them.`)
  return say(spokenLines(await conversation.resume(chosen.threadId)))
}

/** What people and the agent said, as it is shown when a conversation is gone on with. */
export function spokenLines(messages: readonly RememberedMessage[]): string {
  const lines = messages.flatMap((message) => {
    if (message.role !== 'user' && message.role !== 'assistant') return []
    // What the framework said to the model is nobody's word.
    if (message.providerOptions?.['retinue']?.['origin'] !== undefined) return []
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    return text.trim() === '' ? [] : [`${message.role === 'user' ? '› ' : ''}${safeText(text)}`]
  })
  return lines.length === 0 ? 'Nothing was said in it yet.' : lines.join('\n\n')
}

function say(text: string): SlashOutcome {
  return { type: 'say', text }
}

function refuse(text: string): SlashOutcome {
  return { type: 'refuse', text }
}
