import type { PendingToolCall } from '@retinue/core/agent'
import { safeLine, safeText } from '../safe-text.ts'

/** So many lines of a value are shown. */
const MOST_LINES = 40

/** Which options of the command line a later command needs, to find and run the same agents. */
export interface CommandFlags {
  readonly dir?: string | undefined
  readonly model?: string | undefined
}

/** What waits for a person, and the commands that decide it. */
export function pendingText(runId: string, calls: readonly PendingToolCall[], flags: CommandFlags = {}): string {
  const count = calls.length === 1 ? 'A call waits' : `${calls.length} calls wait`
  const blocks = calls.map((call) => {
    const named = calls.length === 1 ? '' : ` ${quoted(call.toolCallId)}`
    return [...callLines(call), '', ...commands(call, `${quoted(runId)}${named}`, flags)].join('\n')
  })
  return `${count} for a person in the run ${runId}:\n\n${blocks.join('\n\n')}\n`
}

/** A call as the person who decides reads it: who asks for what, and with which arguments. `rest`: how to see what is left out. */
export function callLines(call: PendingToolCall, rest = '"retinue approvals --json" shows all of it'): string[] {
  const { toolName, path, args, requiresApproval, suspendPayload, expiresAt } = call
  const what = requiresApproval ? ` wants to run ${safeLine(toolName)}` : `: ${safeLine(toolName)} wants an answer`
  const until = expiresAt === undefined ? '' : `  (declined at ${new Date(expiresAt).toISOString()})`
  const question = requiresApproval ? [] : ['  asked:', ...valueLines(suspendPayload, '    ', rest)]
  return [`◇ ${safeLine(path.join(' › '))}${what}${until}`, ...valueLines(args, '  ', rest), ...question]
}

/** A value for people: its fields line by line, texts as texts. */
export function valueLines(value: unknown, indent: string, rest: string): string[] {
  if (value === undefined) return [`${indent}(nothing)`]
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = isRecord ? Object.entries(value) : []
  if (isRecord && entries.length === 0) return [`${indent}(no arguments)`]
  const lines = isRecord
    ? entries.flatMap(([key, each]) => fieldLines(safeLine(key), each))
    : safeText(textOf(value)).split('\n')
  const shown = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES - 1) : lines
  const more = lines.length - shown.length
  return [...shown, ...(more > 0 ? [`… ${more} more lines: ${rest}`] : [])].map((line) => (indent + line).trimEnd())
}

function fieldLines(key: string, value: unknown): string[] {
  const [first = '', ...others] = safeText(textOf(value)).trimEnd().split('\n')
  return others.length === 0 ? [`${key}: ${first}`] : [`${key}:`, ...[first, ...others].map((line) => `  ${line}`)]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value))
}

function commands({ requiresApproval }: PendingToolCall, which: string, { dir, model }: CommandFlags): string[] {
  const flags = [
    dir === undefined ? '' : ` --dir ${quoted(dir)}`,
    model === undefined ? '' : ` --model ${quoted(model)}`,
  ]
  const command = (verb: string, more = ''): string => `  retinue approvals ${verb} ${which}${more}${flags.join('')}`
  const decline = command('decline', ' --reason "…"')
  return requiresApproval ? [command('approve'), decline] : [command('answer', " '…'"), decline]
}

/** A word as a shell takes it for one. */
function quoted(word: string): string {
  const plain = safeLine(word)
  return /^[\w.:@%+=,/][\w.:@%+=,/-]*$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`
}
