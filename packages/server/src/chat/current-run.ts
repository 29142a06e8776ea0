import { type KnownRun, ofStored, ofTracked } from '../http/known-run.ts'
import type { Services } from '../http/services.ts'
import type { Chat } from './chat-decisions.ts'

/** The run that goes on in a conversation, or waits there; undefined if nothing does. */
export async function currentRun({ hub, storage }: Services, chat: Chat): Promise<KnownRun | undefined> {
  const last = hub.lastOf(chat)
  if (last?.stream) return ofTracked(last)
  let found: KnownRun | undefined
  let cursor: string | undefined
  do {
    const page = await storage.runs.list({ ...chat, ...(cursor === undefined ? {} : { cursor }) })
    for (const run of page.items) if (run.status !== 'ended') found = ofStored(run, hub.get(run.runId))
    cursor = page.next
  } while (cursor !== undefined)
  return found
}
