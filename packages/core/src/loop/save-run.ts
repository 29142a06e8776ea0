import { savedContext } from '../context/saved-context.ts'
import { errorInfo } from '../errors/retinue-error.ts'
import type { OpenDelegation } from './open-delegation.ts'
import type { PendingCall } from './pending-call.ts'
import { processorName, type Run } from './run.ts'
import type { RunState } from './run-state.ts'
import type { SavedCall, SavedDelegation, SavedRun } from './saved-run.ts'

/** A run with everything below it, as plain data. It points to the run's own lists: write it down before anything goes on. */
export function savedRun(run: Run): SavedRun {
  const { thread, kept, budget, inherited, prompt, given, point, calls, resumed, stopped } = run
  const state = settled(point ?? run.state)
  // One that was opened and has not gone on yet stands where it stopped.
  const underWay = calls?.map((call) => savedCall(run, call)) ?? resumed
  const ownBudget = budget.saved(state.runId)
  return {
    state,
    given,
    ...(run.systemReplaced ? { system: prompt.system } : {}),
    inherited,
    ...(thread ? { thread } : {}),
    ...(kept ? { kept: kept.saved() } : {}),
    ...(ownBudget ? { budget: ownBudget } : {}),
    processors: savedProcessors(run),
    ...(stopped ? { stopped: errorInfo(stopped) } : {}),
    elapsedMs: run.root.effects.now() - run.begunAt,
    ...(underWay && state.finishReason === undefined ? { calls: underWay } : {}),
  }
}

/** A run that waits has not finished, and an iteration in which the model has not answered yet has not begun. */
function settled(state: RunState): RunState {
  const { finishReason, ...rest } = state
  const isOver = finishReason !== undefined && finishReason !== 'suspended'
  return { ...rest, iteration: state.steps.length, ...(isOver ? { finishReason } : {}) }
}

function savedProcessors({ processors }: Run): SavedRun['processors'] {
  const lists = Object.entries({ input: processors?.input ?? [], output: processors?.output ?? [] })
  const states = lists.flatMap(([list, all]) =>
    all.flatMap((processor, index): [string, Record<string, unknown>][] => {
      const state = processors?.states.get(processor)
      return state ? [[processorName(list, index, processor.id), state]] : []
    }),
  )
  return Object.fromEntries(states)
}

function savedCall(
  run: Run,
  { toolCallId, toolName, args, problem, counted, outcome, question, delegation, edited, allowed }: PendingCall,
): SavedCall {
  return {
    toolCallId,
    toolName,
    args,
    ...(problem && !outcome ? { problem } : {}),
    ...(counted ? { counted } : {}),
    ...(outcome ? { outcome } : {}),
    ...(question ? { question } : {}),
    ...(edited === undefined ? {} : { edited }),
    ...(allowed ? { allowed } : {}),
    ...(delegation && !outcome ? { delegation: savedDelegation(run, delegation) } : {}),
  }
}

function savedDelegation({ root, requestContext }: Run, delegation: OpenDelegation): SavedDelegation {
  const { facts, runId, thread, input, instructions, maxSteps, messages, errors, begun, child, saved } = delegation
  const below = child ? savedRun(child) : saved
  return {
    facts,
    runId,
    thread,
    ...(input === undefined ? {} : { input }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    messages,
    hookErrors: errors.map(errorInfo),
    elapsedMs: begun === 0 ? 0 : root.effects.now() - begun,
    context: savedContext(delegation.requestContext, requestContext),
    ...(below ? { child: below } : {}),
  }
}
