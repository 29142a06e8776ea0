import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'
import { requestInvalid } from '../errors/request-errors.ts'
import { isObject } from '../is-object.ts'

/** A conversation that the server itself has. */
export interface KeptThread {
  readonly memory: AgentMemory
  readonly threadId: string
  readonly resourceId: string
}

type Part = Record<string, unknown>

/** A call that a thread has. */
interface KeptCall {
  readonly toolName: string
  readonly isAnswered: boolean
}

/** How many messages of a thread are read at once. */
const PAGE = 100

/**
 * Of the results that a client sends into a thread, those that are new, each with the name of its tool. `own`: the tools that are its to
 * run. One that came with its call may be a part of a history that the client repeats: it counts only where its call is open. One
 * that came alone answers a call of the thread. Throws `request-invalid` if it has no such call, or nobody waits for the answer.
 */
export async function answeredCalls(
  given: readonly Part[],
  own: ReadonlySet<string>,
  thread: KeptThread,
): Promise<Part[]> {
  const results = given.filter(({ toolName }) => toolName === undefined || own.has(String(toolName)))
  if (results.length === 0) return []
  const ids = new Set(results.map(({ toolCallId }) => String(toolCallId)))
  const alone = new Set(results.filter(isAlone).map(({ toolCallId }) => String(toolCallId)))
  const calls = await callsOf(thread, ids, alone)
  const answers = new Map<string, Part>()
  for (const part of results) {
    const toolCallId = String(part['toolCallId'])
    const call = calls.get(toolCallId)
    if (isAlone(part)) assertOpen(toolCallId, answers.has(toolCallId) ? { ...call, isAnswered: true } : call, own)
    if (call && !call.isAnswered && own.has(call.toolName) && !answers.has(toolCallId))
      answers.set(toolCallId, { ...part, toolName: call.toolName })
  }
  return [...answers.values()]
}

/** Throws `request-invalid` for a result that came without its call, where there is no conversation that has it. */
export function assertHasCall(part: unknown): void {
  if (isObject(part) && part['type'] === 'tool-result' && isAlone(part))
    throw requestInvalid(
      `The result of the call ${JSON.stringify(part['toolCallId'])} comes without its call.`,
      'Send the call before it, or name the conversation that has it.',
    )
}

function isAlone({ toolName }: Part): boolean {
  return toolName === undefined
}

function assertOpen(toolCallId: string, call: Partial<KeptCall> | undefined, own: ReadonlySet<string>): void {
  const id = JSON.stringify(toolCallId)
  if (!call) throw requestInvalid(`The conversation has no call ${id}.`, 'Send the id of the call as it came.')
  if (!own.has(String(call.toolName)))
    throw requestInvalid(
      `The call ${id} is one of the tool "${call.toolName}", which is not yours to answer.`,
      'If the function is yours, send it in tools again.',
    )
  if (call.isAnswered) throw requestInvalid(`The call ${id} has been answered.`, 'Send one result for each call.')
}

/**
 * The last calls of a thread that have these ids. Those of `sought` are looked for in all of it; the others in the last messages, and as
 * far back as the person last said something.
 */
async function callsOf(
  { memory, threadId, resourceId }: KeptThread,
  ids: ReadonlySet<string>,
  sought: ReadonlySet<string>,
): Promise<ReadonlyMap<string, KeptCall>> {
  const calls = new Map<string, KeptCall>()
  const answered = new Set<string>()
  let hasTurn = false
  let before: number | undefined
  for (;;) {
    const page = { threadId, resourceId, limit: PAGE, ...(before === undefined ? {} : { before }) }
    const { messages, hasMore } = await memory.recall(page)
    for (const message of messages.toReversed()) {
      hasTurn ||= message.role === 'user' && message.origin === undefined
      noteCalls(message, ids, calls, answered)
    }
    before = messages[0]?.sequence
    const isFound = [...(hasTurn ? sought : ids)].every((id) => calls.has(id))
    if (isFound || !hasMore || before === undefined) return calls
  }
}

/** Notes what a message holds of some calls; of what came after it, all is noted. */
function noteCalls(
  { role, content }: RememberedMessage,
  ids: ReadonlySet<string>,
  calls: Map<string, KeptCall>,
  answered: Set<string>,
): void {
  if (typeof content === 'string') return
  for (const part of content) {
    if (part.type === 'tool-result' && ids.has(part.toolCallId)) answered.add(part.toolCallId)
    if (role !== 'assistant' || part.type !== 'tool-call' || part.providerExecuted === true) continue
    const { toolCallId, toolName } = part
    if (ids.has(toolCallId) && !calls.has(toolCallId))
      calls.set(toolCallId, { toolName, isAnswered: answered.has(toolCallId) })
  }
}
