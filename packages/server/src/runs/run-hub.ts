import type { RunResult, RunStream } from '@retinue/core/agent'
import type { EventPlace, Storage } from '@retinue/core/storage'
import { serverClosing } from '../errors/request-errors.ts'
import { LogWriter } from './log-writer.ts'
import { type RunPlace, TrackedRun } from './tracked-run.ts'
import { wireChunk } from './wire-chunk.ts'

/** What a hub is told. */
export interface HubOptions {
  readonly storage: Storage
  readonly detachMs: number
  /** Resolves when this process works on no background task any more. */
  settled(): Promise<void>
  /** Told of what is not wrong enough to stop a run. */
  warn(code: string, thrown: unknown): void
}

/** Runs that have ended are kept for readers that lost their connection near the end: so many, so long, and so much of them. */
const KEPT_RUNS = 500
const KEPT_MS = 300_000
const KEPT_SIZE = 64_000_000

/** A run that is read: what goes out of it, and how its reader leaves. */
export interface Leg {
  readonly run: TrackedRun
  /** The place before the first event of the leg. */
  readonly from: EventPlace
  /** What the leg came to. It does not reject. */
  readonly result: Promise<RunResult>
}

/** The runs of this process: each goes on whether or not somebody reads it, and is found again by its id or its thread. */
export class RunHub {
  readonly #options: HubOptions
  readonly #runs = new Map<string, TrackedRun>()
  readonly #legs = new Set<Promise<unknown>>()
  readonly #ending = new AbortController()
  #closing = false

  constructor(options: HubOptions) {
    this.#options = options
  }

  /** Aborted when every reader has to leave. */
  get ending(): AbortSignal {
    return this.#ending.signal
  }

  get isClosing(): boolean {
    return this.#closing
  }

  /** Throws `server-closing` when no new work is taken. */
  assertOpen(): void {
    if (this.#closing) throw serverClosing()
  }

  get(runId: string): TrackedRun | undefined {
    return this.#runs.get(runId)
  }

  /** The runs that this process works on, or knows still: the oldest first. */
  all(): readonly TrackedRun[] {
    return [...this.#runs.values()]
  }

  /** The last run in a thread. */
  lastOf({ threadId, resourceId, agentId }: Required<Omit<RunPlace, 'isTask'>>): TrackedRun | undefined {
    return this.all().findLast(
      (run) => !run.isTask && run.threadId === threadId && run.resourceId === resourceId && run.agentId === agentId,
    )
  }

  /**
   * Takes note of a run that this process begins to work on, or goes on with; a background task is known by its own id. One that nobody has
   * read yet ends for no want of readers.
   */
  async track(stream: RunStream, place: RunPlace): Promise<Leg> {
    // Somebody decided at once: the last events of the leg before may not have been read yet.
    const { taskId } = stream
    const runId = taskId ?? stream.runId
    await this.#runs.get(runId)?.leg
    const at = Date.now()
    this.#forget(at)
    const run = this.#runs.get(runId) ?? new TrackedRun(runId, { ...place, isTask: taskId !== undefined }, at)
    // The one that was used last comes last.
    this.#runs.delete(run.runId)
    this.#runs.set(run.runId, run)
    run.stream = stream
    run.updatedAt = at
    const from = { leg: run.log.beginLeg(at), seq: 0 }
    const reading = this.#read(run, stream, from)
    run.leg = reading
    this.#legs.add(reading)
    reading.then(() => this.#legs.delete(reading))
    return { run, from, result: reading }
  }

  /** A reader has come. What it gives back is to be called when it leaves; more than once is harmless. */
  join(run: TrackedRun): () => void {
    run.readers += 1
    clearTimeout(run.detachTimer)
    run.detachTimer = undefined
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      run.readers -= 1
      this.#detach(run)
    }
  }

  /** Takes no new work, waits for the runs and their background tasks, ends what is not done and kept nowhere, and then every reader. */
  async close(shutdownMs: number): Promise<void> {
    this.#closing = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, shutdownMs)
    })
    const done = Promise.allSettled(this.#legs).then(() => this.#options.settled())
    await Promise.race([done.catch(() => {}), late])
    clearTimeout(timer)
    const left: Promise<unknown>[] = []
    for (const run of this.#runs.values()) {
      clearTimeout(run.detachTimer)
      // What survives a crash is gone on with by the next process.
      if (!run.stream || run.stream.isKept) continue
      left.push(Promise.resolve(run.leg))
      run.stream.abort('the server is about to end')
    }
    await Promise.allSettled(left)
    await Promise.allSettled([...this.#runs.values()].map((run) => run.writer?.flush()))
    this.#ending.abort()
  }

  async #read(run: TrackedRun, stream: RunStream, from: EventPlace): Promise<RunResult> {
    const { storage, warn } = this.#options
    const writer = new LogWriter(storage, run.runId, run.log, from, (thrown) => warn('events-not-kept', thrown))
    if (stream.isKept) run.writer = writer
    try {
      for await (const chunk of stream.events) {
        run.log.append(wireChunk(chunk))
        if (stream.isKept) writer.notice()
      }
    } catch (thrown) {
      // Its readers get no more of it, and must not wait for ever; the run itself goes on.
      warn('events-not-read', thrown)
    }
    const result = await stream.result
    if (result.finishReason === 'error') warn(`run-failed, run ${run.runId}`, result.error)
    run.result = result
    run.updatedAt = Date.now()
    if (run.stream === stream) run.stream = undefined
    // One that waits is in the storage from now on, whether or not it was before.
    if (stream.isKept || result.finishReason === 'suspended') await writer.flush()
    clearTimeout(run.detachTimer)
    run.log.endLeg()
    return result
  }

  /** Nobody reads it: it ends, if that stays so for too long. */
  #detach(run: TrackedRun): void {
    const { detachMs } = this.#options
    if (this.#closing || run.readers > 0 || !run.stream || run.isTask || detachMs === Number.POSITIVE_INFINITY) return
    clearTimeout(run.detachTimer)
    run.detachTimer = setTimeout(() => run.stream?.abort('nobody reads it any more'), detachMs)
  }

  /** Lets go of runs that ended long ago, or that are too many. */
  #forget(at: number): void {
    let size = 0
    for (const { log } of this.#runs.values()) size += log.size
    for (const run of this.#runs.values()) {
      const isMuch = this.#runs.size > KEPT_RUNS || size > KEPT_SIZE
      if (!isMuch && run.updatedAt > at - KEPT_MS) break
      if (run.stream || run.readers > 0) continue
      size -= run.log.size
      this.#runs.delete(run.runId)
    }
  }
}
