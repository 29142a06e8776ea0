import { restoredFork } from '../context/saved-context.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import type { OpenDelegation } from './open-delegation.ts'
import { type PendingCall, unknownTool } from './pending-call.ts'
import type { Run } from './run.ts'
import type { Step } from './run-state.ts'
import type { CallingTurn } from './run-tool-calls.ts'
import type { SavedCall, SavedDelegation } from './saved-run.ts'

/** The turn that a run stopped in, with the tools that its agent has now. */
export function resumedTurn(run: Run, calls: readonly SavedCall[]): CallingTurn {
  return { step: run.state.steps.at(-1) as Step, calls: calls.map((call) => resumedCall(run, call)), failures: [] }
}

function resumedCall(run: Run, { delegation, ...saved }: SavedCall): PendingCall {
  const tool = run.tools.byName.get(saved.toolName)
  // A tool that is gone can't be run, whatever was decided.
  const problem = saved.problem ?? (tool || saved.outcome ? undefined : unknownTool(saved.toolName, run.tools))
  return {
    ...saved,
    tool,
    problem,
    warning: undefined,
    ...(delegation ? { delegation: resumedDelegation(run, delegation) } : {}),
  }
}

function resumedDelegation({ root, requestContext }: Run, saved: SavedDelegation): OpenDelegation {
  const { facts, runId, thread, input, instructions, maxSteps, messages, hookErrors, elapsedMs, context, child } = saved
  return {
    facts,
    runId,
    thread,
    requestContext: root.contexts?.get(runId) ?? restoredFork(context, requestContext),
    input,
    instructions,
    maxSteps,
    messages,
    errors: hookErrors.map((info) => new RetinueError(info)),
    begun: root.effects.now() - elapsedMs,
    child: undefined,
    saved: child,
    ended: undefined,
  }
}
