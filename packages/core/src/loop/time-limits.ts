import { RetinueError } from '../errors/retinue-error.ts'
import { AbortScope } from '../shared/abort.ts'
import type { Run } from './run.ts'

/** Bounds on time, in milliseconds. What is left out is not bounded. */
export interface Timeouts {
  /** The whole run with everything that it delegates to. It ends as `aborted`. */
  totalMs?: number
  /** One attempt at a model call, from its start to its finish. */
  stepMs?: number
  /** The silence before the next part of a model's stream. */
  chunkMs?: number
  /** The body of a tool; a delegation is bounded by its own run's limits. */
  toolMs?: number
}

/** Something that may take so long and no longer. */
export interface Limited {
  /** Aborted when the time is up, or when the run is. */
  readonly scope: AbortScope
  /** Why it ended, if its time was up. */
  expired(): RetinueError | undefined
  /** Begins the wait for the next sign of life anew. */
  alive(): void
  /** Lets go of the clock. */
  end(): void
}

/** An attempt at a model call, under `stepMs` and `chunkMs`. Without limits it is the run's own scope, at no cost. */
export function limitedAttempt(run: Run, model: string): Limited {
  const { stepMs, chunkMs } = run.settings.timeouts
  if (stepMs === undefined && chunkMs === undefined) return unlimited(run)
  const limited = new Clocked(run)
  if (stepMs !== undefined)
    limited.bound(stepMs, () => timedOut('model-timed-out', `The call of ${model} took longer than ${stepMs} ms.`))
  if (chunkMs !== undefined)
    limited.watch(chunkMs, () => timedOut('model-timed-out', `${model} sent nothing for ${chunkMs} ms.`))
  return limited
}

/** The body of a tool, under `toolMs`. */
export function limitedTool(run: Run, toolName: string): Limited {
  const { toolMs } = run.settings.timeouts
  if (toolMs === undefined) return unlimited(run)
  const limited = new Clocked(run)
  limited.bound(toolMs, () =>
    timedOut(
      'tool-timed-out',
      `The tool "${toolName}" took longer than ${toolMs} ms and was stopped. It may have done a part of its work.`,
    ),
  )
  return limited
}

function timedOut(code: 'model-timed-out' | 'tool-timed-out', message: string): RetinueError {
  return new RetinueError({ code, message, hint: 'Allow more time in the option `timeout`, or ask for less at once.' })
}

const never = (): undefined => undefined
const nothing = (): void => {}

function unlimited(run: Run): Limited {
  return { scope: run.scope, expired: never, alive: nothing, end: nothing }
}

class Clocked implements Limited {
  readonly scope: AbortScope
  readonly #run: Run
  readonly #stops: (() => void)[] = []
  #silence: { ms: number; error: () => RetinueError; stop: () => void } | undefined
  #error: RetinueError | undefined

  constructor(run: Run) {
    this.#run = run
    this.scope = AbortScope.within(run.scope)
  }

  bound(ms: number, error: () => RetinueError): void {
    this.#stops.push(this.#timer(ms, error))
  }

  watch(ms: number, error: () => RetinueError): void {
    this.#silence = { ms, error, stop: this.#timer(ms, error) }
  }

  expired(): RetinueError | undefined {
    return this.#error
  }

  alive(): void {
    if (!this.#silence) return
    this.#silence.stop()
    this.#silence.stop = this.#timer(this.#silence.ms, this.#silence.error)
  }

  end(): void {
    for (const stop of this.#stops) stop()
    this.#silence?.stop()
    this.scope.dispose()
  }

  #timer(ms: number, error: () => RetinueError): () => void {
    return this.#run.root.effects.startTimer(ms, () => {
      if (this.scope.aborted) return
      this.#error = error()
      this.scope.abort(this.#error)
    })
  }
}
