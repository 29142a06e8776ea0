import { assertKnownKeys, optionInvalid } from '../errors/option-errors.ts'
import { isObject } from '../shared/records.ts'
import { assertOptions, type RunOptions } from './run-options.ts'

/** What can be given to a run that goes on: the code that it began with, values that could not be saved, and who wants to be told. */
export interface ResumeOptions
  extends Pick<
    RunOptions,
    | 'requestContext'
    | 'abortSignal'
    | 'headers'
    | 'modelSettings'
    | 'providerOptions'
    | 'resolveModel'
    | 'providers'
    | 'onIterationComplete'
    | 'isTaskComplete'
    | 'scorers'
    | 'stopWhen'
    | 'prepareStep'
    | 'structuredOutput'
    | 'toolsets'
    | 'delegation'
    | 'requireToolApproval'
    | 'onScore'
    | 'onChunk'
    | 'onStepFinish'
    | 'onFinish'
    | 'onError'
    | 'onAbort'
  > {
  /** The root run's id, as its stream and its result have it. */
  runId: string
}

/** Which call is decided, and by whom. */
export interface DecisionOptions extends ResumeOptions {
  /** Can be left out while only one call of the run waits. */
  toolCallId?: string
  /** Who decides, for the record: a name or an id of the application's. */
  decidedBy?: string
}

/** What `approveToolCall` takes. */
export interface ApproveOptions extends DecisionOptions {
  /** What the call runs with in place of its arguments. They must fit the tool's schema. */
  args?: unknown
}

/** What `declineToolCall` takes. */
export interface DeclineOptions extends DecisionOptions {
  /** Told to the model, and kept. */
  reason?: string
}

const RESUME: Readonly<Record<keyof ResumeOptions, true>> = {
  runId: true,
  requestContext: true,
  abortSignal: true,
  headers: true,
  modelSettings: true,
  providerOptions: true,
  resolveModel: true,
  providers: true,
  onIterationComplete: true,
  isTaskComplete: true,
  scorers: true,
  stopWhen: true,
  prepareStep: true,
  structuredOutput: true,
  toolsets: true,
  delegation: true,
  requireToolApproval: true,
  onScore: true,
  onChunk: true,
  onStepFinish: true,
  onFinish: true,
  onError: true,
  onAbort: true,
}

const OWN = ['toolCallId', 'decidedBy', 'reason'] as const

/** Throws `option-unknown` or `option-invalid` for options with which no run goes on. `more`: the options beside those of a resume. */
export function assertResumeOptions(options: unknown, more: readonly string[]): void {
  if (!isObject(options))
    throw optionInvalid(
      'Which run goes on is said in an object.',
      "{ runId: 'the id of the run', toolCallId: 'that of the call' }",
    )
  const known = { ...RESUME, ...Object.fromEntries(more.map((name) => [name, true])) }
  assertKnownKeys(options, known, 'These options are not known')
  const { runId, toolCallId } = options
  if (!isId(runId))
    throw optionInvalid('The runId is missing.', 'Pass the id of the root run: stream.runId, or result.runId.')
  if (toolCallId !== undefined && !isId(toolCallId))
    throw optionInvalid(
      'The toolCallId is none.',
      'Pass that of the chunk, or of listSuspendedRuns(); or leave it out.',
    )
  for (const name of OWN) {
    if (options[name] !== undefined && typeof options[name] !== 'string')
      throw optionInvalid(`The option ${name} is no text.`, `Leave it out, or pass a string.`)
  }
  assertOptions(resumedWith(options as unknown as ResumeOptions))
}

/** No store has seen another one. */
function isId(id: unknown): boolean {
  return typeof id === 'string' && id !== '' && id.length <= 1_000 && id.isWellFormed() && !id.includes('\0')
}

/** The options that are a run's own. */
export function resumedWith(options: ResumeOptions): RunOptions {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(RESUME, name) && name !== 'runId')
  return Object.fromEntries(own)
}
