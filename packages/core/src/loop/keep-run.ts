import { isRetinueError } from '../errors/retinue-error.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import type { KeptConversation } from '../memory/kept-conversation.ts'
import { ABORTED } from '../shared/abort.ts'
import type { Effects } from './effects.ts'
import { conclude, finish, tellEnd, unexpected } from './finish-run.ts'
import type { Run } from './run.ts'
import type { RunKeeper } from './run-keeper.ts'
import type { RunTasks } from './run-tasks.ts'
import { takePoint } from './take-point.ts'

/** Keeps what was said, and ends the run: at once where nothing is kept. */
export function end(run: Run, reason: FinishReason): Promise<void> | undefined {
  const { root, state } = run
  if ((state.tasks?.length || run.told) && root.tasks) return endWithTasks(run, reason, root.tasks)
  return ended(run, reason)
}

async function endWithTasks(run: Run, reason: FinishReason, tasks: RunTasks): Promise<void> {
  await tasks.ended(run, reason)
  return ended(run, reason)
}

function ended(run: Run, reason: FinishReason): Promise<void> | undefined {
  const { kept, root, state } = run
  if (run.background) root.tasks?.closed(run)
  // Of a checked answer the last one stands.
  if (state.answers && !run.answer && reason !== 'bailed' && root.runId === state.runId)
    state.text = [...state.answers, state.text].filter((text) => text.trim() !== '').join('\n\n')
  if (kept || root.keeper) return endKept(run, reason)
  finish(run, reason)
  return undefined
}

async function endKept(run: Run, reason: FinishReason): Promise<void> {
  const { kept, root, state } = run
  const isKept = kept !== undefined && (await keepRest(run, kept)) && !kept.refused
  if (run.told && kept) await root.tasks?.[isKept ? 'confirm' : 'release'](run).catch(() => {})
  const { keeper } = root
  if (!keeper || root.runId !== state.runId) {
    finish(run, reason)
    if (keeper?.isDurable) takePoint(run)
    return
  }
  conclude(run, reason)
  if (keeper.isDurable) takePoint(run)
  await soon(run, keeper.end())
  if (keeper.failure && !isRetinueError(run.error, 'run-timed-out')) {
    run.error = keeper.failure
    conclude(run, 'error')
  }
  tellEnd(run, state.finishReason ?? reason)
}

/** The run waits, and that is written down where it is a root. */
export function waits(run: Run): void {
  const { root, state } = run
  finish(run, 'suspended')
  if (root.runId === state.runId) root.tasks?.stopped(run)
}

/** How long the end of an aborted run waits for what it keeps, in milliseconds. */
const GRACE_MS = 5_000

/** An answer is worth more than its record: where that fails, also when it is tried again, the run ends as it would have, and says so. */
async function keepRest(run: Run, kept: KeptConversation): Promise<boolean> {
  const { state } = run
  const keeping = (async () => kept.end(state.messages, state.text))().catch(() => kept.end(state.messages, state.text))
  let isKept = false
  try {
    await soon(
      run,
      keeping.then(() => {
        isKept = true
      }),
    )
    return isKept
  } catch (thrown) {
    // The first error is the one that tells why the run ended.
    run.error ??= isRetinueError(thrown) ? thrown : unexpected(thrown)
    return false
  }
}

export function keep(run: Run, kept: KeptConversation): Promise<unknown> {
  return run.abort.race(kept.keep(run.state.messages))
}

/** Waits for what a run writes down; once the run is aborted, not for ever. */
export async function soon(run: Run, writing: Promise<void>): Promise<void> {
  if ((await run.abort.race(writing)) === ABORTED) await atMost(run.root.effects, GRACE_MS, writing)
}

/** Settles with the promise, or when the time is over: what hangs is not waited for. */
function atMost({ startTimer }: Effects, milliseconds: number, promise: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = startTimer(milliseconds, resolve)
    promise.then(resolve, reject).finally(stop)
  })
}

/** Writes down what the model said, before anything is done about it: it is never asked again. */
export async function keepCall(run: Run, keeper: RunKeeper): Promise<void> {
  if (run.abort.aborted) return
  takePoint(run)
  await run.abort.race(keeper.save())
}
