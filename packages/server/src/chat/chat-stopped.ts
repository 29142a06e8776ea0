import type { Services } from '../http/services.ts'
import { cancelRun } from '../work/cancel-run.ts'
import type { Chat } from './chat-decisions.ts'
import { currentRun } from './current-run.ts'

/** Ends the run that goes on in a conversation, or waits there. */
export async function chatStopped(
  services: Services,
  chat: Chat,
): Promise<{ readonly stopped: boolean; readonly runId?: string }> {
  const run = await currentRun(services, chat)
  if (!run) return { stopped: false }
  await cancelRun(services, run)
  return { stopped: true, runId: run.runId }
}
