import type { Chunk, RunResult, RunStream } from '@retinue/core/agent'
import type { LiveRegion } from './live-region.ts'
import { type Block, renderTurn } from './render-turn.ts'
import { reduceTurn, type TurnState } from './turn-state.ts'

/** A time that runs on is shown anew four times a second. */
const TICK_MS = 250
/** What comes from the run is gathered for this long, so that a fast model does not redraw the screen for each word. */
const FRAME_MS = 33

export interface LiveTurnOptions {
  readonly region: LiveRegion
  readonly columns: () => number
  readonly clock: () => number
  readonly expanded: () => boolean
  /** What the run tells, as it comes. */
  readonly onChunk: (chunk: Chunk) => void
  /** What stands below the turn while it runs. */
  readonly footer: () => readonly Block[]
}

/** A turn on the screen, from its first event to its last. */
export class LiveTurn {
  readonly #options: LiveTurnOptions
  #turn: TurnState
  /** The time that is shown; it moves in ticks. */
  #shownTime: number
  #frame: NodeJS.Timeout | undefined

  constructor(turn: TurnState, options: LiveTurnOptions) {
    this.#turn = turn
    this.#options = options
    this.#shownTime = options.clock()
  }

  /** How it stands. */
  get turn(): TurnState {
    return this.#turn
  }

  /** Shows the run from before it has begun until it has ended; gives its result. Rejects if it could not begin. */
  async follow(beginning: Promise<RunStream>): Promise<RunResult> {
    const { clock } = this.#options
    const ticker = setInterval(() => {
      this.#shownTime = clock()
      this.redraw()
    }, TICK_MS)
    this.redraw()
    try {
      const stream = await beginning
      this.#turn = { ...this.#turn, runId: stream.runId }
      let drawn = clock()
      for await (const chunk of stream.events) {
        const now = clock()
        this.#options.onChunk(chunk)
        this.#turn = reduceTurn(this.#turn, chunk, now)
        this.#frame ??= setTimeout(() => this.redraw(), FRAME_MS)
        // A run that never waits would keep the timers from their turn.
        if (now - drawn < FRAME_MS) continue
        await new Promise(setImmediate)
        drawn = clock()
      }
      return await stream.result
    } finally {
      clearInterval(ticker)
      clearTimeout(this.#frame)
    }
  }

  /** Shows the turn as it is now. */
  redraw(): void {
    clearTimeout(this.#frame)
    this.#frame = undefined
    const { region, columns, expanded, footer } = this.#options
    const view = { columns: columns(), expanded: expanded(), now: this.#shownTime }
    region.draw([...renderTurn(this.#turn, view), ...footer()])
  }
}
