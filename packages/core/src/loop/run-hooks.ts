import { errorInfo, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { ABORTED } from '../shared/abort.ts'
import type { IterationHook } from './iteration-hook.ts'
import type { StepPreparation } from './prepare-step.ts'
import { emit, type Run } from './run.ts'
import type { Step } from './run-state.ts'
import type { TaskCompletion } from './task-completion.ts'

/** The functions of a call that the loop asks on its way. */
export interface RunHooks {
  readonly onIterationComplete: IterationHook | undefined
  readonly isTaskComplete: TaskCompletion | undefined
  readonly stopWhen: readonly StopCondition[]
  readonly prepareStep: StepPreparation | undefined
  readonly onStepFinish: ((step: Step) => void | Promise<void>) | undefined
}

/**
 * Whether a run that would go on is to stop after this step, with finish reason `stop`. Asked after each step with tool calls, one
 * condition after the other, until one says so. If it throws, the run ends with finish reason `error` and the error `hook-failed`.
 */
export type StopCondition = (context: { readonly steps: readonly Step[] }) => boolean | Promise<boolean>

/** Whether any condition says that the run is to stop. */
export async function isToStop(run: Run): Promise<boolean> {
  for (const condition of run.hooks.stopWhen) {
    const asking = (async () => condition({ steps: run.state.steps.slice() }))()
    const says = await run.abort.race(asking).catch((thrown: unknown) => {
      throw hookFailed('stopWhen', thrown)
    })
    if (says === ABORTED) return false
    if (says) return true
  }
  return false
}

function hookFailed(name: string, cause: unknown): RetinueError {
  return new RetinueError({
    code: 'hook-failed',
    message: `${name} failed: ${withoutSecrets(thrownMessage(cause))}`,
    hint: 'The cause of this error has its stack.',
    cause,
  })
}

/** Tells of a finished step. A callback that throws is reported, and changes nothing. */
export async function tellStepFinish(run: Run, step: Step): Promise<void> {
  try {
    await run.abort.race((async () => run.hooks.onStepFinish?.(step))())
  } catch (thrown) {
    emit(run, 'error', { error: errorInfo(callbackFailed('onStepFinish', thrown)) })
  }
}

export function callbackFailed(name: string, cause: unknown): RetinueError {
  return new RetinueError({
    code: 'callback-failed',
    message: `The callback ${name} failed: ${withoutSecrets(thrownMessage(cause))}`,
    hint: 'It changed nothing; the cause of this error has its stack.',
    cause,
  })
}
