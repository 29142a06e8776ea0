import type { Question } from '../approvals/question.ts'
import type { PendingCall } from '../loop/pending-call.ts'
import type { Run } from '../loop/run.ts'
import type { SavedCall, SavedRun } from '../loop/saved-run.ts'

/** A call that waits for a person, or was decided and has not ended, with where in its tree it was made. */
export interface AskedOf {
  readonly path: readonly string[]
  readonly call: Pick<SavedCall, 'toolCallId' | 'toolName' | 'args' | 'edited'> & {
    readonly delegation?: object | undefined
  }
  readonly question: Question
}

/** The calls of a tree that a person is asked about; also of those of its runs that have not gone on yet since it was saved. */
export function* askedCalls(run: Run | SavedRun): Generator<AskedOf> {
  const resumed = 'resumed' in run ? run.resumed : undefined
  for (const call of run.calls ?? resumed ?? []) {
    const { question, outcome, delegation } = call
    if (outcome) continue
    const saved = delegation && 'saved' in delegation ? delegation.saved : undefined
    const below = delegation?.child ?? saved
    if (below) yield* askedCalls(below)
    if (question) yield { path: run.state.path, call, question }
  }
}

/** Whether something of a tree is at work beside a call that is about to wait: then the tree does not stop yet. */
export function othersAtWork({ calls, state }: Run, waiting: PendingCall): boolean {
  if (!calls) return state.finishReason === undefined
  return calls.some((call) => {
    if (call === waiting || call.outcome) return false
    const child = call.delegation?.child
    return child ? othersAtWork(child, waiting) : call.question === undefined
  })
}
