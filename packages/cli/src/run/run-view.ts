import type { Chunk, ModelUse, Usage } from '@retinue/core/agent'
import pc from 'picocolors'
import { elapsed } from './elapsed.ts'
import { isEnvelope, isPlaceholder } from './envelope.ts'
import { modelText } from './model-text.ts'
import { isTaskChunk, isTaskEnd, shortTask, type TaskChunk, taskText } from './task-text.ts'

/** Longest piece of a prompt or of arguments that a line shows. */
const EXCERPT = 72

/**
 * Turns the events of a run into lines, as they happen: a tree of the delegations with the agent, its state, the time and the tokens,
 * and the tool calls between them. Lines are only ever added, so that it reads the same in a terminal, in a pipe and in a log.
 */
export class RunView {
  readonly #print: (line: string) => void
  readonly #now: () => number
  readonly #colors: ReturnType<typeof pc.createColors>
  readonly #started = new Map<string, number>()
  /** Calls that a person was asked about. */
  readonly #waiting = new Set<string>()
  readonly #models: Set<string>
  /** Tasks that have worked already. */
  readonly #working = new Set<string>()
  #agent = ''

  /** `told`: what `modelText` says of models that were printed already. */
  constructor(options: {
    print: (line: string) => void
    now: () => number
    color: boolean
    told?: Iterable<string>
  }) {
    this.#models = new Set(options.told)
    this.#print = options.print
    this.#now = options.now
    this.#colors = pc.createColors(options.color)
  }

  show(chunk: Chunk): void {
    if (isTaskChunk(chunk)) this.#showTask(chunk)
    else this.#showRun(chunk)
  }

  #showRun(chunk: Chunk): void {
    const c = this.#colors
    switch (chunk.type) {
      case 'start':
        if (chunk.path.length > 1) return
        this.#agent = chunk.path[0] ?? chunk.payload.id
        this.#begin(chunk.runId)
        this.#print(`${c.cyan('●')} ${c.bold(this.#agent)}`)
        return
      case 'step-start':
        this.#showModel(chunk.path, chunk.payload.model)
        return
      case 'delegation-start': {
        const { runId, key, prompt } = chunk.payload
        const what = this.#started.has(runId) ? 'goes on' : excerpt(prompt)
        this.#begin(runId)
        this.#line(chunk.path, `${c.cyan('▶')} ${c.bold(key)}  ${c.dim(what)}`)
        return
      }
      case 'delegation-end': {
        const { key, status, runId, usage } = chunk.payload
        const mark = status === 'completed' ? c.green('✔') : c.red('✖')
        this.#line(chunk.path, `${mark} ${c.bold(key)}  ${status}  ${c.dim(this.#spent(runId, usage))}`)
        return
      }
      case 'error':
        this.#line(chunk.path, c.red(`✖ ${chunk.payload.error.code}: ${excerpt(chunk.payload.error.message)}`))
        return
      case 'finish':
        if (chunk.path.length > 1) return
        this.#print(this.#ended(chunk.runId, chunk.payload.stepResult.reason, chunk.payload.totalUsage))
        return
      default:
        this.#showTool(chunk)
    }
  }

  #showTool(chunk: Chunk): void {
    const c = this.#colors
    switch (chunk.type) {
      case 'tool-call':
        this.#begin(chunk.payload.toolCallId)
        return
      case 'tool-call-approval':
      case 'tool-call-suspended': {
        const what = chunk.type === 'tool-call-approval' ? 'waits for an approval' : 'waits for an answer'
        const { toolCallId, toolName, args } = chunk.payload
        // How long a person takes is not the tool's time.
        this.#waiting.add(toolCallId)
        this.#line(chunk.path, `${c.cyan('◇')} ${toolName}  ${what}  ${c.dim(excerpt(JSON.stringify(args)))}`)
        return
      }
      case 'tool-output-denied':
        this.#line(chunk.path, `${c.red('✖')} ${chunk.payload.toolName}  ${c.red(excerpt(chunk.payload.reason ?? ''))}`)
        return
      case 'tool-error':
        this.#line(
          chunk.path,
          `${c.red('✖')} ${chunk.payload.toolName}  ${c.red(excerpt(chunk.payload.error.message))}`,
        )
        return
      case 'tool-result': {
        const { toolName, toolCallId, args, result } = chunk.payload
        // A delegation's own end has told of it, and so have the chunks of a task.
        if (isEnvelope(result) || isPlaceholder(result)) return
        const time =
          this.#waiting.has(toolCallId) || !this.#started.has(toolCallId) ? '' : `  ${this.#elapsed(toolCallId)}`
        this.#line(chunk.path, `${c.green('✔')} ${toolName}  ${c.dim(`${excerpt(JSON.stringify(args))}${time}`)}`)
        return
      }
      default:
    }
  }

  #showTask(chunk: TaskChunk): void {
    const { taskId, toolName } = chunk.payload
    const isBegun = this.#working.has(taskId)
    if (chunk.type === 'background-task-running') {
      this.#working.add(taskId)
      // That it has begun to work is shown by what it does.
      if (this.#started.has(taskId) && !isBegun && chunk.payload.attempt === 1) return
    }
    const { mark, words, tone, why } = taskText(chunk, isBegun)
    const c = this.#colors
    const paint = { active: c.cyan, good: c.green, bad: c.red, quiet: c.dim }[tone]
    const time = isTaskEnd(chunk) && this.#started.has(taskId) ? [c.dim(this.#elapsed(taskId))] : []
    if (chunk.type === 'background-task-started') this.#begin(taskId)
    const reason = why === undefined ? [] : [paint(excerpt(why))]
    const parts = [`${paint(mark)} task ${shortTask(taskId)}`, c.bold(toolName), words, ...time, ...reason]
    this.#line(chunk.path, parts.join('  '))
  }

  /** Each model once: what answers, and why if it is not the one that the config asks for. */
  #showModel(path: readonly string[], model: ModelUse): void {
    const text = modelText(model)
    if (this.#models.has(text)) return
    this.#models.add(text)
    this.#line(path, this.#colors.dim(text))
  }

  #ended(runId: string, reason: string, usage: Usage): string {
    const c = this.#colors
    const mark = reason === 'stop' ? c.green('✔') : reason === 'suspended' ? c.cyan('◇') : c.red('✖')
    return `${mark} ${c.bold(this.#agent)}  ${reason}  ${c.dim(this.#spent(runId, usage))}`
  }

  #begin(id: string): void {
    this.#started.set(id, this.#now())
  }

  #spent(id: string, usage: Usage): string {
    return `${this.#elapsed(id)}  ${usage.totalTokens} tokens`
  }

  #elapsed(id: string): string {
    return elapsed(this.#now() - (this.#started.get(id) ?? this.#now()))
  }

  #line(path: readonly string[], text: string): void {
    this.#print(`${this.#colors.dim(`${'│  '.repeat(path.length - 1)}├─`)} ${text}`)
  }
}

/** A text on one line, without what could steer a terminal. */
function excerpt(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > EXCERPT ? `${[...line].slice(0, EXCERPT).join('')}…` : line
}
