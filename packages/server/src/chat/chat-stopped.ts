import type { AgentMemory } from '@retinue/core/memory'
import { ofTracked } from '../http/known-run.ts'
import type { Services } from '../http/services.ts'
import { cancelRun } from '../work/cancel-run.ts'
import type { Chat } from './chat-decisions.ts'
import { currentRun } from './current-run.ts'

/** Ends the run that goes on in a conversation, or with which its last turn waits. */
export async function chatStopped(
  services: Services,
  chat: Chat,
  memory: AgentMemory | undefined,
): Promise<{ readonly stopped: boolean; readonly runId?: string }> {
  const going = services.hub.lastOf(chat)
  const run = going?.stream ? ofTracked(going) : await currentRun(services, chat, memory)
  if (!run) return { stopped: false }
  await cancelRun(services, run)
  return { stopped: true, runId: run.runId }
}
