import { isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { GeneratedFile, Source } from '../events/chunk.ts'
import { carried } from '../messages/carried.ts'
import { chosenMessages } from '../messages/chosen-messages.ts'
import { disarm } from '../messages/framework-note.ts'
import type { Conversation } from '../messages/from-input.ts'
import { systemMessages } from '../messages/instructions.ts'
import type { AssistantMessage, Message, SystemMessage } from '../messages/message.ts'
import {
  fileData,
  fileOf,
  isOutputPart,
  type OutputPart,
  type StreamPart,
  soundPart,
  sourceOf,
} from '../model/stream-part.ts'
import type { InputContext, Processor, ProcessorContext } from '../processors/processor.ts'
import { ABORTED } from '../shared/abort.ts'
import { isObject } from '../shared/records.ts'
import type { Relayed } from '../tools/outcome.ts'
import { checkAnswer } from './check-answer.ts'
import { Prompt } from './prompt.ts'
import { noteUrls, type Run } from './run.ts'

/** The processors of a run, and what they keep in it. */
export interface RunProcessors {
  readonly input: readonly Processor[]
  readonly output: readonly Processor[]
  readonly states: Map<Processor, Record<string, unknown>>
}

/** Lets the input processors see everything that the run begins with. What they return is what it goes on from. */
export async function processInput(run: Run, processors: RunProcessors): Promise<void> {
  const given: Conversation = { system: run.prompt.system as SystemMessage[], messages: conversationOf(run) }
  const { state, kept } = run
  let own: ReadonlySet<Message> = new Set(state.messages)
  let pending: ReadonlySet<Message> = new Set(kept?.pending)
  const follow = (before: Conversation, after: Conversation): void => {
    own = carried(before.messages, after.messages, own)
    if (kept) pending = carried(before.messages, after.messages, pending)
  }
  let processed: Conversation
  try {
    const ask = (processor: Processor, context: InputContext): unknown => processor.processInput?.(context)
    processed = await throughInput(run, processors, 'processInput', given, ask, follow)
  } catch (thrown) {
    kept?.refuseInput()
    throw thrown
  }
  if (processed === given) return
  const { messages } = processed
  // What comes before the run's own was its parent's, and is none of its conversation: nobody is handed it back as that.
  const begin = Math.max(
    0,
    messages.findIndex((message) => own.has(message)),
  )
  const conversation = messages.slice(begin)
  kept?.replaceInput(
    messages.filter((message) => pending.has(message)),
    conversation.length,
  )
  // The run has not begun: its conversation is the one that the processors leave.
  state.messages.splice(0, state.messages.length, ...conversation)
  state.inputLength = conversation.length
  run.inherited = messages.slice(0, begin)
  run.prompt = new Prompt(processed.system, run.inherited)
  run.systemReplaced = processed.system !== given.system
  noteUrls(run, messages)
}

/** Lets the input processors see what the next model call is sent. */
export async function processInputStep(run: Run, processors: RunProcessors): Promise<void> {
  const { iteration } = run.state
  const { system, messages } = splitPrompt(run)
  const given: Conversation = { system, messages }
  const processed = await throughInput(run, processors, 'processInputStep', given, (processor, context) =>
    processor.processInputStep?.({ ...context, iteration }),
  )
  if (processed === given) return
  run.override = { ...run.override, prompt: [...processed.system, ...processed.messages] }
  noteUrls(run, processed.messages)
}

/** Lets the output processors see a part of the answer; undefined if one of them leaves it out. */
export async function processPart(
  run: Run,
  { output, states }: RunProcessors,
  part: StreamPart,
): Promise<StreamPart | undefined> {
  if (!isOutputPart(part)) return part
  const { iteration } = run.state
  let current: OutputPart = part
  for (const processor of output) {
    const returned = await asked(run, states, processor, 'processOutputStream', (context) =>
      processor.processOutputStream?.({ ...context, iteration, part: current }),
    )
    // What a processor has not passed is not shown, also when the run is aborted meanwhile.
    if (returned === null || run.abort.aborted) return undefined
    if (returned === undefined) continue
    // A sound part comes back as it is.
    if (!isOutputPart(returned) || soundPart(returned) !== returned)
      throw nonsense(processor, 'processOutputStream', 'what is no part of an answer')
    current = returned
  }
  return current
}

/** Lets the output processors see what a delegation answered in the run's place, as if the run's own model had said it. */
export async function processRelayed(run: Run, processors: RunProcessors, relayed: Relayed): Promise<Relayed> {
  const id = `relay-${run.state.iteration}`
  const said = await processPart(run, processors, { type: 'text-delta', id, delta: relayed.text })
  const text = said?.type === 'text-delta' ? said.delta : ''
  const sources: Source[] = []
  for (const source of relayed.sources) {
    const part = await processPart(run, processors, { type: 'source', ...source })
    const passed = part?.type === 'source' ? sourceOf(part) : undefined
    if (passed) sources.push(passed)
  }
  const files: GeneratedFile[] = []
  for (const file of relayed.files) {
    const part = await processPart(run, processors, { type: 'file', mediaType: file.mediaType, data: fileData(file) })
    const passed = part?.type === 'file' ? fileOf(part) : undefined
    if (passed) files.push(passed)
  }
  // An object says the same as the text: where that may not be said, neither may this.
  return text === relayed.text ? { ...relayed, sources, files } : { text, sources, files }
}

/** Lets the output processors see the answer, and puts what they return in its place. One that stops the run withholds the answer. */
export async function processResult(run: Run, processors: RunProcessors): Promise<void> {
  const { text, object } = run.state
  try {
    await throughResult(run, processors)
  } catch (thrown) {
    replaceAnswer(run, '')
    throw thrown
  }
  if (run.state.text === text || object === undefined || !run.answer) return
  const answer = await checkAnswer(run, run.answer, run.state.text)
  // No model can mend what it did not say.
  if (answer !== 'fits' && run.error) throw run.error
}

async function throughResult(run: Run, { output, states }: RunProcessors): Promise<void> {
  const { state } = run
  for (const processor of output) {
    const returned: unknown = await asked(run, states, processor, 'processOutputResult', (context) =>
      processor.processOutputResult?.({ ...context, text: state.text, messages: state.messages.slice() }),
    )
    if (returned === undefined) continue
    if (typeof returned !== 'string') throw nonsense(processor, 'processOutputResult', 'what is no text')
    if (returned !== state.text) replaceAnswer(run, returned)
  }
}

/** The answer is the last message of the run; nothing has read it that could not read another. */
function replaceAnswer({ state }: Run, text: string): void {
  state.text = text
  // The object was the old text's.
  state.object = undefined
  // A hook's feedback may stand after it.
  const at = state.messages.findLastIndex(({ role }) => role === 'assistant')
  const last = state.messages[at]
  if (last?.role !== 'assistant') return
  const rest = last.content.filter((part) => part.type !== 'text')
  const content: AssistantMessage['content'] =
    text.trim() === '' ? rest : [...rest, { type: 'text', text: disarm(text) }]
  state.messages.splice(at, 1, ...(content.length > 0 ? [{ ...last, content }] : []))
}

type InputMethod = 'processInput' | 'processInputStep'

function conversationOf({ inherited, state }: Run): Message[] {
  return [...inherited, ...state.messages]
}

/** What the next model call is sent, with what a hook put in its place. */
function splitPrompt(run: Run): Conversation {
  const whole = run.override?.prompt
  if (!whole) return { system: run.prompt.system as SystemMessage[], messages: conversationOf(run) }
  return {
    system: whole.filter((message) => message.role === 'system'),
    messages: whole.filter((message) => message.role !== 'system'),
  }
}

async function throughInput(
  run: Run,
  { input, states }: RunProcessors,
  method: InputMethod,
  given: Conversation,
  ask: (processor: Processor, context: InputContext) => unknown,
  follow: (before: Conversation, after: Conversation) => void = () => {},
): Promise<Conversation> {
  let current = given
  for (const processor of input) {
    const returned = await asked(run, states, processor, method, (context) =>
      ask(processor, { ...context, messages: current.messages.slice(), systemMessages: current.system.slice() }),
    )
    if (returned === undefined || returned === null) continue
    const next = processedInput(run, processor, method, returned, current)
    follow(current, next)
    current = next
  }
  return current
}

function processedInput(
  run: Run,
  processor: Processor,
  method: InputMethod,
  returned: unknown,
  current: Conversation,
): Conversation {
  const { messages, instructions, ...rest } = Array.isArray(returned)
    ? { messages: returned }
    : fieldsOf(processor, method, returned)
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw nonsense(processor, method, `the unknown field "${unknown}"`)
  if (messages !== undefined && !Array.isArray(messages)) throw nonsense(processor, method, 'messages that are no list')
  try {
    return {
      system: instructions === undefined ? current.system : systemMessages(instructions, run.agentId),
      messages: messages ? chosenMessages(messages, current.messages) : current.messages,
    }
  } catch (cause) {
    throw isRetinueError(cause) ? cause : failed(processor, method, cause)
  }
}

function fieldsOf(processor: Processor, method: InputMethod, returned: unknown): Record<string, unknown> {
  if (isObject(returned)) return returned
  throw nonsense(processor, method, `a ${typeof returned}`)
}

/** Asks one method of a processor. A stop and a failure are thrown as typed errors; undefined after an abort. */
async function asked<T>(
  run: Run,
  states: RunProcessors['states'],
  processor: Processor,
  method: string,
  ask: (context: ProcessorContext) => T,
): Promise<Awaited<T> | undefined> {
  try {
    const returned = await run.abort.race((async () => ask(contextOf(run, states, processor)))())
    return returned === ABORTED ? undefined : (returned as Awaited<T>)
  } catch (thrown) {
    throw isRetinueError(thrown, 'processor-stopped') ? thrown : failed(processor, method, thrown)
  }
}

function contextOf(run: Run, states: RunProcessors['states'], processor: Processor): ProcessorContext {
  const { state } = run
  const own = states.get(processor) ?? {}
  states.set(processor, own)
  return {
    runId: state.runId,
    agentId: state.agentId,
    path: state.path,
    requestContext: run.requestContext,
    abortSignal: run.abort.signal,
    state: own,
    abort: (reason) => {
      throw stopped(processor, reason)
    },
  }
}

function stopped({ id }: Processor, reason: string | undefined): RetinueError {
  return new RetinueError({
    code: 'processor-stopped',
    message: `The processor "${id}" stopped the run${reason?.trim() ? `: ${reason}` : '.'}`,
    data: { processor: id, ...(reason === undefined ? {} : { reason }) },
  })
}

function failed({ id }: Processor, method: string, cause: unknown): RetinueError {
  return new RetinueError({
    code: 'processor-failed',
    message: `${method} of the processor "${id}" failed: ${withoutSecrets(thrownMessage(cause))}`,
    hint: 'The cause of this error has its stack.',
    data: { processor: id },
    cause,
  })
}

function nonsense(processor: Processor, method: string, what: string): RetinueError {
  return failed(processor, method, new TypeError(`it returned ${what}`))
}
