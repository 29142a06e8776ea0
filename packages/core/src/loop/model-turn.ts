import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { noUsage, type Usage } from '../events/usage.ts'
import { disarm } from '../messages/framework-note.ts'
import { valueOutput } from '../messages/from-parts.ts'
import type { AssistantPart, ReasoningPart, TextPart } from '../messages/message.ts'
import { fileOf, finishOf, type ModelFinish, type StreamPart, usageOf } from '../model/stream-part.ts'
import { isObject } from '../shared/records.ts'
import { legalToolName } from '../tools/tool-name.ts'
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
  /** Calls whose arguments are streaming. */
  readonly #inputs = new Set<string>()

  constructor(run: Run, candidate: ModelCandidate) {
    this.#run = run
    this.#ids = new CallIds(run.root.callIds)
    this.step = newStep(run.state.iteration, candidate)
  }

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
    this.#blocks.set(key, { kind, id, part, shown: false })
    this.content.push(part)
  }

  #delta(
    kind: BlockKind,
    { id, delta, providerMetadata }: { id: string; delta: string; providerMetadata?: SharedV4ProviderMetadata },
  ): void {
    let block = this.#blocks.get(kind + id)
    if (!block) {
      this.#open(kind, id, undefined)
      block = this.#blocks.get(kind + id) as OpenBlock
    }
    if (providerMetadata) block.part.providerOptions = providerMetadata
    if (typeof delta !== 'string' || delta === '') return
    block.part.text += delta
    if (kind === 'text') this.step.text += delta
    else this.step.reasoningText += delta
    this.begin()
    // An empty block is never shown: its start waits for its first text.
    if (!block.shown) emit(this.#run, `${kind}-start`, { id })
    block.shown = true
    if (this.#run.root.log) emit(this.#run, `${kind}-delta`, { id, text: delta })
  }

  #close(kind: BlockKind, id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const block = this.#blocks.get(kind + id)
    if (!block) return
    this.#blocks.delete(kind + id)
    if (metadata) block.part.providerOptions = metadata
    if (block.shown) emit(this.#run, `${kind}-end`, { id })
    block.part.text = kind === 'text' ? disarm(block.part.text) : block.part.text
    // Providers refuse an empty text; an empty reasoning can carry what its provider needs back.
    const keep = block.part.text !== '' || (kind === 'reasoning' && block.part.providerOptions !== undefined)
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
    const call = pendingCall(id, String(part.toolName), part.input, this.#run.tools)
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
      ...(part.providerMetadata ? { providerOptions: part.providerMetadata } : {}),
    })
    if (part.providerExecuted !== true) this.calls.push(call)
    emit(this.#run, 'tool-call', { toolCallId, toolName, args, ...executed })
  }

  #providerResult(part: Extract<StreamPart, { type: 'tool-result' }>): void {
    this.begin()
    if (part.preliminary === true) return
    const toolCallId = this.#ids.known(part.toolCallId)
    const call = this.step.toolCalls.find((made) => made.toolCallId === toolCallId)
    if (toolCallId === undefined || !call) {
      this.step.warnings.push(`The provider sent a result of "${part.toolName}" without its call.`)
      return
    }
    const { toolName, args } = call
    const output = valueOutput(part.result)
    this.content.push({ type: 'tool-result', toolCallId, toolName, output })
    this.step.toolResults.push({
      toolCallId,
      toolName,
      args,
      result: part.result,
      providerExecuted: true,
      ...(part.isError ? { isError: true } : {}),
    })
    emit(this.#run, 'tool-result', { toolCallId, toolName, args, result: part.result, providerExecuted: true })
  }

  #other(part: StreamPart): void {
    switch (part.type) {
      case 'source': {
        const { type: _type, providerMetadata: _metadata, ...source } = part
        this.begin()
        this.step.sources.push(source)
        emit(this.#run, 'source', source)
        return
      }
      case 'file': {
        const file = fileOf(part)
        this.begin()
        this.step.files.push(file)
        this.content.push({
          type: 'file',
          mediaType: file.mediaType,
          data: 'url' in file ? { type: 'url', url: new URL(file.url) } : { type: 'data', data: file.data },
        })
        emit(this.#run, 'file', file)
        return
      }
      case 'stream-start':
        for (const warning of part.warnings ?? []) this.step.warnings.push(warningText(warning))
        return
      case 'response-metadata':
        this.step.response = responseOf(part)
        return
      case 'error':
        this.failure = { error: part.error }
        return
      case 'finish':
        this.end ??= finishOf(part.finishReason)
        this.step.usage = usageOf(part.usage)
        if (part.providerMetadata) this.step.providerMetadata = part.providerMetadata
        return
      default:
        // Raw parts, pings and what later versions add: nothing that a run is made of.
        return
    }
  }
}

type BlockKind = 'text' | 'reasoning'

interface OpenBlock {
  readonly kind: BlockKind
  readonly id: string
  readonly part: TextPart | ReasoningPart
  shown: boolean
}

function newStep(iteration: number, candidate: ModelCandidate): Step {
  const usage: Usage = noUsage()
  usage.calls = 1
  usage.unreportedCalls = 1
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
    usage,
    warnings: [],
  }
}

function warningText(warning: unknown): string {
  const { type, message, setting, feature, details } = isObject(warning) ? warning : {}
  return [type, setting ?? feature, message ?? details].filter((piece) => typeof piece === 'string').join(': ')
}

function responseOf(part: {
  id?: string | undefined
  modelId?: string | undefined
  timestamp?: Date | undefined
}): NonNullable<Step['response']> {
  return {
    ...(part.id === undefined ? {} : { id: part.id }),
    ...(part.modelId === undefined ? {} : { modelId: part.modelId }),
    ...(part.timestamp === undefined ? {} : { timestamp: part.timestamp.toISOString() }),
  }
}
