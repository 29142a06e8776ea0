import type { PendingToolCall, RunResult, RunStream } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import { forCommandLine } from '../approvals/hints.ts'
import type { Verdict } from '../run/decide-call.ts'
import { type CommandFlags, pendingText } from '../run/pending-text.ts'
import { errorText } from '../run/run-end.ts'
import { type Asker, askAbout, askForArguments, draftOf } from './ask-about.ts'
import type { Conversation } from './conversation.ts'

/** Where a conversation has its waiting calls decided, and shows what follows. */
export interface Desk extends Asker {
  /** Shows a run that goes on after a call of it was decided, until it ends or waits again. Undefined: it broke. */
  follow(stream: RunStream, decided: PendingToolCall): Promise<RunResult | undefined>
}

/** A run that stopped, with what it waits for. */
export interface WaitingRun {
  readonly runId: string
  readonly calls: readonly PendingToolCall[]
}

/**
 * Has the calls of a run decided, one after the other, until it has ended or the person leaves the rest for later. Gives how the run
 * stands; undefined if nothing of it was decided.
 */
export async function decidePending(
  { runId, calls }: WaitingRun,
  conversation: Conversation,
  desk: Desk,
  flags: CommandFlags,
): Promise<RunResult | undefined> {
  let waiting = calls
  let result: RunResult | undefined
  while (waiting.length > 0) {
    const call = waiting[0] as PendingToolCall
    const stream = await decision(runId, call, conversation, desk)
    if (stream === 'later') {
      desk.say(`Left for later. ${pendingText(runId, waiting, flags)}`, 'quiet')
      return result
    }
    if (stream === 'gone') {
      // Somebody else has decided, or the run is over: what it waits for now is another matter.
      waiting = (await conversation.waiting()).find((run) => run.runId === runId)?.calls ?? []
      continue
    }
    result = await desk.follow(stream, call)
    waiting = result?.pendingCalls ?? []
  }
  return result
}

/** Asks until a decision is taken; what was decided but can't be is said, and what does not fit is asked for again. */
async function decision(
  runId: string,
  call: PendingToolCall,
  conversation: Conversation,
  desk: Desk,
): Promise<RunStream | 'later' | 'gone'> {
  let verdict = await askAbout(call, desk)
  while (verdict) {
    try {
      return await conversation.decide(runId, call.toolCallId, verdict)
    } catch (error) {
      if (!isRetinueError(error)) throw error
      desk.say(errorText(forCommandLine(error, runId)).trimEnd(), 'bad')
      if (error.code !== 'decision-invalid') return 'gone'
      verdict = await again(verdict, call, desk)
    }
  }
  return 'later'
}

/** Edited arguments are edited further; anything else begins with the question. */
async function again(verdict: Verdict, call: PendingToolCall, desk: Desk): Promise<Verdict | undefined> {
  const edited = verdict.type === 'approve' && 'args' in verdict
  return (edited ? await askForArguments(desk, draftOf(verdict.args)) : undefined) ?? askAbout(call, desk)
}
