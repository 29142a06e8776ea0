import type { AgentMemory } from '@retinue/core/memory'
import { type KnownRun, ofStored, ofTracked } from '../http/known-run.ts'
import type { Services } from '../http/services.ts'
import type { Chat } from './chat-decisions.ts'
import { isOfTurn, type LastTurn, lastTurn } from './last-turn.ts'

/**
 * The run of the last turn of a conversation, if it goes on, or waits; undefined if it has ended. One of an earlier turn that waits still
 * is decided in its own message. Without a memory every run is of the last turn.
 */
export async function currentRun(
  services: Services,
  chat: Chat,
  memory: AgentMemory | undefined,
): Promise<KnownRun | undefined> {
  const { hub, storage } = services
  const tracked = hub.lastOf(chat)
  const going = tracked?.stream ? ofTracked(tracked) : undefined
  const stored: KnownRun[] = []
  // A chat can have had very many that have ended.
  for (const status of ['running', 'suspended'] as const) {
    let cursor: string | undefined
    do {
      const page = await storage.runs.list({ ...chat, status, ...(cursor === undefined ? {} : { cursor }) })
      stored.push(...page.items.map((run) => ofStored(run, hub.get(run.runId))))
      cursor = page.next
    } while (cursor !== undefined)
  }
  stored.sort((one, other) => one.createdAt - other.createdAt)
  const found = [...stored, ...(going ? [going] : [])]
  if (found.length === 0) return undefined
  const turn: LastTurn | undefined = memory && (await lastTurn(memory, chat))
  return found.findLast((run) => turn === undefined || isOfTurn(run, turn))
}
