import { assertInput } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import { isKeptId, type RememberedMessage } from '@retinue/core/memory'
import { requestInvalid } from '../errors/request-errors.ts'
import { type KnownRun, knownRun, ofTracked } from '../http/known-run.ts'
import { agentOf, type Services } from '../http/services.ts'
import { START } from '../runs/event-id.ts'
import type { SaidOnce } from '../runs/said-once.ts'
import type { TrackedRun } from '../runs/tracked-run.ts'
import type { ChatBody } from '../schemas/chat-body.ts'
import { beginRun, type NewRun } from '../work/begin-run.ts'
import { cancelRun } from '../work/cancel-run.ts'
import { type ClientMessage, messagesFromClient, type Recipient } from '../work/client-messages.ts'
import type { Reading } from '../work/leg-response.ts'
import type { Chat } from './chat-decisions.ts'
import { isAnother, type Said, saidIn, wordsOf } from './said-anew.ts'
import { isWhole } from './thread-turn.ts'

/** What is said, by whom and to whom. */
export interface Saying extends Pick<NewRun, 'agent' | 'caller'> {
  readonly chat: Chat
  readonly body: ChatBody
  readonly to: Recipient
}

/** What a page reads: the events of a run, or what the thread has kept of one. */
export interface Heard extends Reading {
  readonly kept?: readonly RememberedMessage[]
}

/** Says in a chat what a page sends, once: what was said before is not said again. Gives what the page reads. */
export function say(services: Services, saying: Saying): Promise<Heard> {
  const { chat, body, to } = saying
  const last: ClientMessage | undefined = body.messages.at(-1)
  if (!to.thread || !isKeptId(last?.['id'])) return sayNow(services, saying, undefined)
  // The same message can come again before the thread has it: who comes later waits for what becomes of those before.
  const key = JSON.stringify([chat.agentId, chat.threadId, chat.resourceId, last['id']])
  const before = services.said.get(key)
  const heard = sayAfter(services, saying, before)
  const once = { heard, words: wordsOf(last['parts']) }
  services.said.set(key, once)
  const forget = (): void => {
    if (services.said.get(key) === once) services.said.delete(key)
  }
  heard.then(({ tracked }) => Promise.resolve(tracked?.leg).then(forget), forget)
  return heard
}

async function sayAfter(services: Services, saying: Saying, before: SaidOnce | undefined): Promise<Heard> {
  const reading = await before?.heard.catch(() => undefined)
  const run = reading?.tracked
  return sayNow(services, saying, before && run?.stream ? { run, words: before.words } : undefined)
}

/** `being`: the run that answers a message of the same id, which the thread need not have yet. */
async function sayNow(
  services: Services,
  { chat, body, to, agent, caller }: Saying,
  being: { readonly run: TrackedRun; readonly words: string } | undefined,
): Promise<Heard> {
  const { threadId, resourceId } = chat
  const said: Said = to.thread ? await saidIn(to.thread, body) : { type: 'new', messages: body.messages }
  if (being && body.trigger !== 'regenerate-message') {
    // An edit that comes twice, too, is made once.
    if (being.words === wordsOf((body.messages.at(-1) as ClientMessage)['parts']))
      return { runId: being.run.runId, tracked: being.run, after: START }
    if (said.type !== 'anew') throw isAnother()
  }
  const heard = said.type === 'again' ? await heardOf(services, chat, said, to) : undefined
  if (heard) return heard
  const input = await messagesFromClient(said.messages, to)
  // What is refused changes nothing.
  if (to.thread) assertInput(input)
  services.hub.assertOpen()
  if (said.type !== 'new') await stopCurrent(services, chat, said.kept)
  const { run, from } = await beginRun(services, {
    ...{ agent, caller, resourceId, threadId },
    input,
    options: { untilIdle: body.untilIdle },
    replaceFrom: said.type === 'new' ? undefined : said.kept.id,
    keepMessageIds: true,
  })
  return { runId: run.runId, tracked: run, after: from }
}

/**
 * What a message came to that is sent again: the run that answers it, as long as it is known, and then what the thread has of that.
 * Undefined if it came to no answer, which has to be given. Throws `request-invalid` where that would delete what was said since.
 */
async function heardOf(
  services: Services,
  chat: Chat,
  { kept, turn }: Extract<Said, { type: 'again' }>,
  to: Recipient,
): Promise<Heard | undefined> {
  const run = await knownOf(services, chat, kept)
  const isHeard = run && (await isAnswered(services, run))
  if (run && isHeard) return { runId: run.runId, tracked: run.tracked, after: START }
  const hasFailed = run !== undefined
  const { answer, hasLater } = turn
  if (hasLater ? answer.length > 0 : !hasFailed && (await isWhole(answer, to)))
    return { runId: kept.runId ?? kept.id, tracked: undefined, after: START, kept: [kept, ...answer] }
  if (!hasLater) return undefined
  throw requestInvalid(
    'The message came to no answer, and the conversation has gone on since.',
    'Have it answered in the place of what came after it (regenerate), or say it as a new message.',
  )
}

/** The run that answers a message, as long as it is known. */
async function knownOf(services: Services, chat: Chat, { runId }: RememberedMessage): Promise<KnownRun | undefined> {
  if (runId === undefined) return undefined
  try {
    const run = await knownRun(services, runId)
    return run.threadId === chat.threadId && run.agentId === chat.agentId && isItself(run) ? run : undefined
  } catch (thrown) {
    if (isRetinueError(thrown, 'run-not-found')) return undefined
    throw thrown
  }
}

/** One of which only background tasks are left has no events any more. */
function isItself({ tracked, isStored }: KnownRun): boolean {
  return tracked !== undefined || isStored
}

async function isAnswered(
  services: Services,
  { runId, agentId, status, tracked, isStored }: KnownRun,
): Promise<boolean> {
  if (status !== 'ended') return true
  const reason = tracked?.finishReason
  if (reason !== undefined) return reason !== 'error' && reason !== 'aborted'
  if (!isStored) return false
  const { resolveModel } = services
  try {
    await agentOf(services, agentId).resumeRunGenerate({ runId, ...(resolveModel ? { resolveModel } : {}) })
    return true
  } catch (thrown) {
    if (isRetinueError(thrown)) return false
    throw thrown
  }
}

/**
 * Whoever wants something said anew does not want to hear the end of what is being said since. It has the thread, so that it is stopped
 * before the new one begins: where that then fails, or a processor refuses it, the answer was stopped all the same, and can be had anew.
 */
async function stopCurrent(services: Services, chat: Chat, kept: RememberedMessage): Promise<void> {
  const run = services.hub.lastOf(chat)
  if (run?.stream && (run.runId === kept.runId || run.createdAt >= kept.createdAt))
    await cancelRun(services, ofTracked(run))
}
