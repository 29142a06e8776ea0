import { RetinueError } from '../errors/retinue-error.ts'
import { EventLog } from '../events/event-log.ts'
import type { RootRun } from '../loop/run.ts'
import type { Message } from '../messages/message.ts'
import { AbortScope } from '../shared/abort.ts'
import type { AgentOptions } from './agent-config.ts'
import { directEffects } from './direct-effects.ts'
import type { RunOptions } from './run-options.ts'

const DEFAULT_MAX_DEPTH = 5

/** What all runs of a new tree share. `log`: whether somebody may read its events. */
export function openRootRun(
  agent: AgentOptions,
  options: RunOptions,
  messages: readonly Message[],
  log: boolean,
): RootRun {
  const abort = new AbortScope(options.abortSignal)
  const totalMs = options.timeout?.totalMs
  const stop =
    totalMs === undefined ? undefined : directEffects.startTimer(totalMs, () => abort.abort(tooLong(totalMs)))
  return {
    runId: options.runId ?? directEffects.newId(),
    abort,
    log: log ? new EventLog() : undefined,
    effects: directEffects,
    callIds: idsOf(messages),
    children: 0,
    begun: new Set(),
    maxDepth: agent.maxDepth ?? DEFAULT_MAX_DEPTH,
    allowCycles: options.allowCycles ?? false,
    chooseModel: options.resolveModel,
    urls: false,
    providers: options.providers,
    close: () => {
      stop?.()
      abort.dispose()
    },
  }
}

function tooLong(totalMs: number): RetinueError {
  return new RetinueError({
    code: 'run-timed-out',
    message: `The run took longer than ${totalMs} ms.`,
    hint: 'Allow more time in the option `timeout`, or ask for less at once.',
  })
}

/** The call ids that an input brings along: no later call may have one of them. */
function idsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.toolCallId)
  }
  return ids
}
