import { errorInfo, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { Message } from '../messages/message.ts'
import { ABORTED } from '../shared/abort.ts'
import { isObject } from '../shared/records.ts'
import type { IterationHook } from './iteration-hook.ts'
import { emit, type Run } from './run.ts'
import type { Step } from './run-state.ts'

/** The functions of a call that the loop asks on its way. */
export interface RunHooks {
  readonly onIterationComplete: IterationHook | undefined
  readonly stopWhen: readonly StopCondition[]
  readonly prepareStep: PrepareStep | undefined
  readonly onStepFinish: ((step: Step) => void | Promise<void>) | undefined
}

/** Whether a run that would go on is to stop after this step. */
export type StopCondition = (context: { readonly steps: readonly Step[] }) => boolean | Promise<boolean>

/** Called before each model call, and waited for; what it returns holds for that call alone. */
export type PrepareStep = (context: {
  /** From 0. */
  readonly stepNumber: number
  readonly steps: readonly Step[]
  readonly messages: readonly Message[]
}) => StepSettings | undefined | void | Promise<StepSettings | undefined | void>

export interface StepSettings {
  toolChoice?: 'auto' | 'none' | 'required' | { type: 'tool'; toolName: string }
  /** The tools, by name, that the model may see in this call. */
  activeTools?: readonly string[]
}

/** What holds for the next model call. Throws `prepare-step-failed` if the hook does. */
export async function askPrepareStep(run: Run, prepareStep: PrepareStep): Promise<StepSettings> {
  const { state } = run
  const context = { stepNumber: state.iteration - 1, steps: state.steps, messages: state.messages.slice() }
  try {
    const returned = await run.abort.race((async () => prepareStep(context))())
    return returned === ABORTED || returned === undefined || returned === null ? {} : checkedSettings(returned)
  } catch (cause) {
    throw new RetinueError({
      code: 'prepare-step-failed',
      message: `prepareStep failed: ${withoutSecrets(thrownMessage(cause))}`,
      hint: 'The cause of this error has its stack.',
      cause,
    })
  }
}

function checkedSettings(returned: unknown): StepSettings {
  if (!isObject(returned)) throw new TypeError(`it returned a ${typeof returned}`)
  const { toolChoice: _choice, activeTools, ...rest } = returned
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new TypeError(`it returned the unknown field "${unknown}"`)
  if (
    activeTools !== undefined &&
    !(Array.isArray(activeTools) && activeTools.every((name) => typeof name === 'string'))
  )
    throw new TypeError('it returned activeTools that are no list of names')
  return returned as StepSettings
}

/** Whether any condition says that the run is to stop. */
export async function isToStop(run: Run): Promise<boolean> {
  for (const condition of run.hooks.stopWhen) if (await condition({ steps: run.state.steps })) return true
  return false
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
