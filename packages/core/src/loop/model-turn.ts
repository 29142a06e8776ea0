import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ErrorInfo } from '../errors/retinue-error.ts'
import type { GeneratedFile } from '../events/chunk.ts'
import { noUsage } from '../events/usage.ts'
import { disarm } from '../messages/framework-note.ts'
import type { AssistantPart, ReasoningPart, TextPart } from '../messages/message.ts'
import { errorOutput, valueOutput } from '../messages/tool-output.ts'
import { type LanguageModel, secretsOf } from '../model/language-model.ts'
import { brokenOff } from '../model/model-error.ts'
import {
  fileData,
  fileOf,
  finishOf,
  isInterrupted,
  isOpening,
  type ModelFinish,
  responseOf,
  type StreamPart,
  sourceOf,
  usageOf,
  warningsOf,
} from '../model/stream-part.ts'
import { GrowingText } from '../shared/growing-text.ts'
import { toJson } from '../shared/json.ts'
import { legalToolName } from '../shared/tool-name.ts'
import { CallIds } from './call-ids.ts'
import { type PendingCall, pendingCall } from './pending-call.ts'
import type { Failure } from './repeated-failures.ts'
import { emit, type ModelCandidate, type Run } from './run.ts'
import type { Step } from './run-state.ts'

/**
 * What one attempt at a model call gave so far. It takes the parts of a stream as they come, in whatever order and however broken,
 * writes the chunks, and keeps the message that goes into the history.
 */
export class ModelTurn {
  /** Whether something was shown or kept: from then on the call is not tried again. */
  begun = false
  readonly content: AssistantPart[] = []
  /** The provider of the model that was called. */
  provider = ''
  /** What errors of the call must not repeat. */
  secrets: readonly string[] = []
  readonly calls: PendingCall[] = []
  /** Results that tell of a failure, such as a delegation's. */
  readonly failures: Failure[] = []
  readonly step: Step
  end: ModelFinish | undefined
  /** An `error` part of the stream. */
  failure: { readonly error: unknown } | undefined

  readonly #run: Run
  readonly #ids: CallIds
  readonly #blocks = new Map<string, OpenBlock>()
  #last: OpenBlock | undefined
  readonly #said = { text: new GrowingText(), reasoning: new GrowingText() }
  /** Calls whose arguments are streaming. */
  readonly #inputs = new Set<string>()

  constructor(run: Run, candidate: ModelCandidate) {
    this.#run = run
    this.#ids = new CallIds(run.root.callIds)
    this.step = newStep(run.state.iteration, candidate)
  }

  /** Says that a model is called now, and which: one that could not be made is not counted as a call. */
  called(model: LanguageModel): void {
    this.provider = model.provider
    this.secrets = secretsOf(model)
    this.step.usage.calls = 1
    this.step.usage.unreportedCalls = 1
  }

  /** Takes the next part; it must be a sound one. */
  accept(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#open(part.type === 'text-start' ? 'text' : 'reasoning', part.id, part.providerMetadata)
        return
      case 'text-delta':
        this.#delta('text', part)
        return
      case 'reasoning-delta':
        this.#delta('reasoning', part)
        return
      case 'text-end':
        this.#close('text', part.id, part.providerMetadata)
        return
      case 'reasoning-end':
        this.#close('reasoning', part.id, part.providerMetadata)
        return
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
        this.#input(part)
        return
      case 'tool-call':
        this.#call(part)
        return
      case 'tool-result':
        this.#providerResult(part)
        return
      default:
        this.#other(part)
        return
    }
  }

  /** Closes what the stream left open. */
  closeAll(): void {
    for (const block of [...this.#blocks.values()]) this.#close(block.kind, block.id, undefined)
    this.step.text = this.#said.text.toString()
    this.step.reasoningText = this.#said.reasoning.toString()
    for (const id of this.#inputs) emit(this.#run, 'tool-call-input-streaming-end', { toolCallId: id })
    this.#inputs.clear()
  }

  /** Says that the step begins, once: with the first content, or at its end if there was none. */
  begin(): void {
    if (this.begun) return
    this.begun = true
    const { state } = this.#run
    emit(this.#run, 'step-start', {
      messageId: `${state.runId}-${state.iteration}`,
      iteration: state.iteration,
      model: this.step.model,
    })
  }

  #open(kind: BlockKind, id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const key = kind + id
    if (this.#blocks.has(key)) this.#close(kind, id, undefined)
    const part: TextPart | ReasoningPart = { type: kind, text: '' }
    if (metadata) part.providerOptions = metadata
    this.#blocks.set(key, { kind, id, part, text: new GrowingText(), shown: false })
    this.content.push(part)
  }

  #delta(
    kind: BlockKind,
    { id, delta, providerMetadata }: { id: string; delta: string; providerMetadata?: SharedV4ProviderMetadata },
  ): void {
    const block = this.#blockOf(kind, id)
    if (providerMetadata) block.part.providerOptions = providerMetadata
    if (typeof delta !== 'string' || delta === '') return
    block.text.add(delta)
    this.#said[kind].add(delta)
    this.begin()
    // An empty block is never shown: its start waits for its first text.
    if (!block.shown) emit(this.#run, CHUNKS[kind].start, { id })
    block.shown = true
    if (this.#run.root.log) emit(this.#run, CHUNKS[kind].delta, { id, text: delta })
  }

  /** The open block of a delta: mostly that of the delta before. A delta can come without its start. */
  #blockOf(kind: BlockKind, id: string): OpenBlock {
    const last = this.#last
    if (last && last.kind === kind && last.id === id) return last
    if (!this.#blocks.has(kind + id)) this.#open(kind, id, undefined)
    const block = this.#blocks.get(kind + id) as OpenBlock
    this.#last = block
    return block
  }

  #close(kind: BlockKind, id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const block = this.#blocks.get(kind + id)
    if (!block) return
    this.#blocks.delete(kind + id)
    this.#last = undefined
    if (metadata) block.part.providerOptions = metadata
    if (block.shown) emit(this.#run, CHUNKS[kind].end, { id })
    block.part.text = block.text.toString()
    block.part.text = kind === 'text' ? disarm(block.part.text) : block.part.text
    // Providers refuse a text that is empty or blank; an empty reasoning can carry what its provider needs back.
    const text = kind === 'text' ? block.part.text.trim() : block.part.text
    const keep = text !== '' || (kind === 'reasoning' && block.part.providerOptions !== undefined)
    if (!keep) this.content.splice(this.content.indexOf(block.part), 1)
  }

  #input(part: Extract<StreamPart, { type: 'tool-input-start' | 'tool-input-delta' | 'tool-input-end' }>): void {
    if (part.type === 'tool-input-start') {
      this.begin()
      const toolCallId = this.#ids.begin(part.id)
      if (this.#inputs.has(toolCallId)) return
      this.#inputs.add(toolCallId)
      emit(this.#run, 'tool-call-input-streaming-start', { toolCallId, toolName: legalToolName(part.toolName) })
      return
    }
    const toolCallId = this.#ids.known(part.id)
    if (toolCallId === undefined || !this.#inputs.has(toolCallId)) return
    if (part.type === 'tool-input-delta') emit(this.#run, 'tool-call-delta', { toolCallId, argsTextDelta: part.delta })
    else {
      this.#inputs.delete(toolCallId)
      emit(this.#run, 'tool-call-input-streaming-end', { toolCallId })
    }
  }

  #call(part: Extract<StreamPart, { type: 'tool-call' }>): void {
    this.begin()
    const id = this.#ids.made(part.toolCallId)
    if (this.#inputs.delete(id)) emit(this.#run, 'tool-call-input-streaming-end', { toolCallId: id })
    const call = pendingCall(id, part.toolName, part.input, this.#run.active)
    if (call.warning) this.step.warnings.push(call.warning)
    const { toolCallId, toolName, args } = call
    const executed = part.providerExecuted === true ? { providerExecuted: true } : {}
    this.step.toolCalls.push({ toolCallId, toolName, args, ...executed })
    this.content.push({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: args,
      ...executed,
      ...metadataOf(part),
    })
    if (part.providerExecuted !== true) this.calls.push(call)
    emit(this.#run, 'tool-call', { toolCallId, toolName, args, ...executed })
  }

  #providerResult(part: Extract<StreamPart, { type: 'tool-result' }>): void {
    this.begin()
    if (part.preliminary === true) return
    const known = this.#ids.known(part.toolCallId)
    const call = this.step.toolCalls.find((made) => made.toolCallId === known)
    const answered = this.step.toolResults.some((result) => result.toolCallId === known)
    if (!call?.providerExecuted || answered) {
      this.step.warnings.push(`The provider sent a result of "${part.toolName}" that answers no open call of its own.`)
      return
    }
    const { toolCallId, toolName, args } = call
    const json = toJson(part.result)
    const result = json.ok ? json.value : json.reason
    const record = { toolCallId, toolName, args, result, providerExecuted: true }
    if (part.isError === true) {
      const error: ErrorInfo = { code: 'tool-failed', message: `The provider's tool "${toolName}" failed.` }
      this.content.push({ type: 'tool-result', toolCallId, toolName, output: errorOutput(result) })
      this.step.toolResults.push({ ...record, error, isError: true })
      emit(this.#run, 'tool-error', { toolCallId, toolName, args, error })
      return
    }
    this.content.push({ type: 'tool-result', toolCallId, toolName, output: valueOutput(result) })
    this.step.toolResults.push(record)
    emit(this.#run, 'tool-result', record)
  }

  #other(part: StreamPart): void {
    switch (part.type) {
      case 'source': {
        const source = sourceOf(part)
        if (!source) {
          this.#skipped(part.type)
          return
        }
        this.begin()
        this.step.sources.push(source)
        emit(this.#run, 'source', source)
        return
      }
      case 'file':
      case 'reasoning-file': {
        const file = fileOf(part)
        if (!file) {
          this.#skipped(part.type)
          return
        }
        this.begin()
        this.content.push(filePart(part, file))
        // A file of the model's thinking goes back to its provider, and is no part of the answer.
        if (part.type === 'reasoning-file') return
        this.step.files.push(file)
        emit(this.#run, 'file', file)
        return
      }
      case 'custom':
        if (isOpening(part.kind)) return
        this.begin()
        this.content.push({ type: 'custom', kind: part.kind, ...metadataOf(part) })
        return
      case 'stream-start':
        this.step.warnings.push(...warningsOf(part.warnings))
        return
      case 'response-metadata':
        this.step.response = responseOf(part)
        return
      case 'error':
        this.failure = { error: part.error }
        return
      case 'finish':
        if (isInterrupted(part.finishReason)) this.failure = { error: brokenOff(this.step.model.used) }
        else this.end ??= finishOf(part.finishReason)
        this.step.usage = usageOf(part.usage)
        if (part.providerMetadata) this.step.providerMetadata = part.providerMetadata
        return
      default:
        // Raw parts, pings and what later versions add: nothing that a run is made of.
        return
    }
  }

  #skipped(type: string): void {
    this.step.warnings.push(`The provider sent a part of type "${type}" that can't be read.`)
  }
}

type BlockKind = 'text' | 'reasoning'

/** The chunks of each kind of block. */
const CHUNKS = {
  text: { start: 'text-start', delta: 'text-delta', end: 'text-end' },
  reasoning: { start: 'reasoning-start', delta: 'reasoning-delta', end: 'reasoning-end' },
} as const

interface OpenBlock {
  readonly kind: BlockKind
  readonly id: string
  readonly part: TextPart | ReasoningPart
  readonly text: GrowingText
  shown: boolean
}

function newStep(iteration: number, candidate: ModelCandidate): Step {
  return {
    iteration,
    model: candidate.use,
    text: '',
    reasoningText: '',
    toolCalls: [],
    toolResults: [],
    sources: [],
    files: [],
    finishReason: 'other',
    usage: noUsage(),
    warnings: [],
  }
}

/** A file as the history keeps it, with what its provider wants back. */
function filePart(
  part: { type: 'file' | 'reasoning-file'; providerMetadata?: SharedV4ProviderMetadata },
  file: GeneratedFile,
): Extract<AssistantPart, { type: 'file' | 'reasoning-file' }> {
  return { type: part.type, mediaType: file.mediaType, data: fileData(file), ...metadataOf(part) }
}

function metadataOf(part: { providerMetadata?: SharedV4ProviderMetadata }): {
  providerOptions?: SharedV4ProviderMetadata
} {
  return part.providerMetadata ? { providerOptions: part.providerMetadata } : {}
}
