import { isRetinueError } from '@retinue/core/errors'
import { isKeptId, type RememberedMessage } from '@retinue/core/memory'
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

/** What is said, by whom and to whom. */
export interface Saying extends Pick<NewRun, 'agent' | 'caller'> {
  readonly chat: Chat
  readonly body: ChatBody
  readonly to: Recipient
}

/** Says in a chat what a page sends, once: what was said before is not said again. Gives what the page reads. */
export function say(services: Services, saying: Saying): Promise<Reading> {
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

async function sayAfter(services: Services, saying: Saying, before: SaidOnce | undefined): Promise<Reading> {
  const reading = await before?.heard.catch(() => undefined)
  const run = reading?.tracked
  return sayNow(services, saying, before && run?.stream ? { run, words: before.words } : undefined)
}

/** `being`: the run that answers a message of the same id, which the thread need not have yet. */
async function sayNow(
  services: Services,
  { chat, body, to, agent, caller }: Saying,
  being: { readonly run: TrackedRun; readonly words: string } | undefined,
): Promise<Reading> {
  const { threadId, resourceId } = chat
  const said: Said = to.thread ? await saidIn(to.thread, body) : { type: 'new', messages: body.messages }
  if (being && said.type !== 'anew') {
    if (being.words !== wordsOf((body.messages.at(-1) as ClientMessage)['parts'])) throw isAnother()
    return { runId: being.run.runId, tracked: being.run, after: START }
  }
  const heard = said.type === 'again' ? await heardOf(services, chat, said.kept) : undefined
  if (heard) return { runId: heard.runId, tracked: heard.tracked, after: START }
  if (said.type !== 'new') await stopCurrent(services, chat)
  const { run, from } = await beginRun(services, {
    ...{ agent, caller, resourceId, threadId },
    input: await messagesFromClient(said.messages, to),
    options: { untilIdle: body.untilIdle },
    replaceFrom: replacedBy(said),
    keepMessageIds: true,
  })
  return { runId: run.runId, tracked: run, after: from }
}

function replacedBy(said: Said): string | undefined {
  switch (said.type) {
    case 'new':
      return undefined
    case 'anew':
      return said.replaceFrom
    case 'again':
      return said.kept.id
  }
}

/** The run that answers a message, as long as it is known; undefined if it came to no answer, which has to be given anew. */
async function heardOf(services: Services, chat: Chat, { runId }: RememberedMessage): Promise<KnownRun | undefined> {
  if (runId === undefined) return undefined
  try {
    const run = await knownRun(services, runId)
    const isOfChat = run.threadId === chat.threadId && run.agentId === chat.agentId
    return isOfChat && (await isAnswered(services, run)) ? run : undefined
  } catch (thrown) {
    if (isRetinueError(thrown, 'run-not-found')) return undefined
    throw thrown
  }
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

/** Whoever wants something said anew does not want to hear the end of what is being said. */
async function stopCurrent(services: Services, chat: Chat): Promise<void> {
  const run = services.hub.lastOf(chat)
  if (run?.stream) await cancelRun(services, ofTracked(run))
}
