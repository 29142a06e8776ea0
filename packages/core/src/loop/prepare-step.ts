import { isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { chosenMessages, type InputMessageLike } from '../messages/chosen-messages.ts'
import { freezeMessage } from '../messages/freeze-message.ts'
import { type Instructions, systemMessages } from '../messages/instructions.ts'
import type { Message } from '../messages/message.ts'
import type { ModelChoice } from '../model/language-model.ts'
import { ABORTED } from '../shared/abort.ts'
import { checkedFields, type FieldChecks } from '../shared/checked-fields.ts'
import { isObject } from '../shared/records.ts'
import { activeTools, choiceAmong } from './active-tools.ts'
import { type ModelCandidate, noteUrls, type Run } from './run.ts'
import type { Step } from './run-state.ts'

/**
 * Called before each iteration's model call, and waited for; what it returns holds for that call alone. If it throws, or returns what
 * is no setting, the run ends with finish reason `error` and the error `prepare-step-failed`; a tool that is not there is
 * `option-invalid`.
 */
export type PrepareStep = (
  context: StepContext,
) => StepSettings | undefined | void | Promise<StepSettings | undefined | void>

/** What `prepareStep` is told. The lists are copies, and the messages are frozen. */
export interface StepContext {
  /** From 0. */
  readonly stepNumber: number
  /** The iterations before this one. */
  readonly steps: readonly Step[]
  /** What the model would be sent after the system messages. */
  readonly messages: readonly Message[]
}

/** What `prepareStep` sets for one model call. What it leaves out is as the run has it. */
export interface StepSettings {
  /** In place of the agent's model: one, or a list with fallbacks. */
  model?: ModelChoice | readonly ModelChoice[]
  toolChoice?: 'auto' | 'none' | 'required' | { type: 'tool'; toolName: string }
  /** The tools, by name, that the model may see in this call. */
  activeTools?: readonly string[]
  /** In place of all system messages. */
  instructions?: Instructions
  /** The AI SDK's older name of `instructions`. */
  system?: Instructions
  /**
   * In place of the conversation: messages of the context, or others in AI SDK form. Where a cut took one side of a tool call, the
   * other is mended.
   */
  messages?: readonly InputMessageLike[]
  /** Over the run's, one by one. */
  modelSettings?: Readonly<Record<string, unknown>>
  /** In place of the run's. */
  providerOptions?: Readonly<Record<string, Record<string, unknown>>>
}

/** What of a run one model call replaces. */
export interface StepOverride {
  readonly models?: readonly ModelCandidate[]
  readonly prompt?: readonly Message[]
  readonly modelSettings?: Readonly<Record<string, unknown>>
  readonly providerOptions?: Readonly<Record<string, unknown>>
}

/** The hook, and how an agent makes models of what it returns. */
export interface StepPreparation {
  readonly ask: PrepareStep
  candidates(model: ModelChoice | readonly ModelChoice[]): Promise<readonly ModelCandidate[]>
}

/** Asks the hook, and sets what holds for the next model call. Throws `prepare-step-failed` if the hook does, or says what is nonsense. */
export async function prepareStep(run: Run, preparation: StepPreparation): Promise<void> {
  const given = [...run.inherited, ...run.state.messages]
  try {
    const settings = await askHook(run, preparation.ask, given)
    run.active = activeTools(run.tools, settings.activeTools ?? run.settings.activeTools)
    run.toolChoice = choiceAmong(run.active, settings.toolChoice ?? run.settings.toolChoice)
    run.override = await overrideOf(run, settings, given, preparation)
  } catch (thrown) {
    throw isRetinueError(thrown) && thrown.code !== 'input-invalid' ? thrown : hookFailed(thrown)
  }
}

async function askHook(run: Run, ask: PrepareStep, given: readonly Message[]): Promise<StepSettings> {
  const { iteration, steps } = run.state
  for (const message of given) freezeMessage(message)
  const asking = (async () => ask({ stepNumber: iteration - 1, steps: steps.slice(), messages: given.slice() }))()
  const returned = await run.abort.race(asking)
  return returned === ABORTED ? {} : checkedFields<StepSettings>(returned, FIELDS)
}

async function overrideOf(
  run: Run,
  { model, instructions, system, messages, modelSettings, providerOptions }: StepSettings,
  given: readonly Message[],
  preparation: StepPreparation,
): Promise<StepOverride> {
  const own = instructions ?? system
  // Another model may not be shown what this one thought.
  if (model !== undefined) run.traits.reasoning = true
  const prompt = own === undefined && messages === undefined ? undefined : promptOf(run, own, messages, given)
  return {
    ...(model === undefined ? {} : { models: await candidatesOf(run, preparation, model) }),
    ...(prompt ? { prompt } : {}),
    ...(modelSettings ? { modelSettings } : {}),
    ...(providerOptions ? { providerOptions } : {}),
  }
}

/** The models that the hook names; the run's own if it is aborted meanwhile. */
async function candidatesOf(
  run: Run,
  preparation: StepPreparation,
  model: NonNullable<StepSettings['model']>,
): Promise<readonly ModelCandidate[]> {
  const made = await run.abort.race(preparation.candidates(model))
  return made === ABORTED ? run.models : made
}

function promptOf(
  run: Run,
  instructions: Instructions | undefined,
  messages: StepSettings['messages'],
  given: readonly Message[],
): Message[] {
  const conversation = messages ? chosenMessages(messages, given) : given
  noteUrls(run, conversation)
  return [
    ...(instructions === undefined ? run.prompt.system : systemMessages(instructions, run.agentId)),
    ...conversation,
  ]
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isTextOrObject = (value: unknown): boolean => isText(value) || isObject(value) || Array.isArray(value)

/** The fields that the hook can return. What is deeper in them is checked where it is used. */
const FIELDS: FieldChecks<StepSettings> = {
  model: isTextOrObject,
  toolChoice: (value) => value === 'auto' || value === 'none' || value === 'required' || isToolChoice(value),
  activeTools: (value) => Array.isArray(value) && value.every(isText),
  instructions: isTextOrObject,
  system: isTextOrObject,
  messages: (value) => Array.isArray(value),
  modelSettings: isObject,
  providerOptions: isObject,
}

function isToolChoice(value: unknown): boolean {
  return isObject(value) && value['type'] === 'tool' && typeof value['toolName'] === 'string'
}

function hookFailed(cause: unknown): RetinueError {
  return new RetinueError({
    code: 'prepare-step-failed',
    message: `prepareStep failed: ${withoutSecrets(thrownMessage(cause))}`,
    hint: 'The cause of this error has its stack.',
    cause,
  })
}
