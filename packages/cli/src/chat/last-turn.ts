import type { LiveRegion } from './live-region.ts'
import { type Block, renderTurn } from './render-turn.ts'
import type { Screen } from './screen.ts'
import { type Line, span } from './styled-line.ts'
import type { TurnState } from './turn-state.ts'
import { wrap } from './wrap.ts'

const UNANSWERED = 'Your message stays in the conversation, without an answer; ↑ brings it back.'

export interface EndedTurn {
  readonly turn: TurnState
  /** It failed: the conversation holds no answer of it. */
  readonly dropped: boolean
}

/** The turn that was last, on the screen above the prompt: its tree can still be collapsed and expanded. */
export class LastTurn {
  readonly #screen: Screen
  readonly #region: LiveRegion
  #ended: EndedTurn | undefined
  /** It stands directly above the prompt. */
  #attached = false
  /** What stands there is a repetition of its tree, and not the whole turn. */
  #treeOnly = false

  constructor(screen: Screen, region: LiveRegion) {
    this.#screen = screen
    this.#region = region
  }

  /** Shows how a turn ended, in place of how it went. */
  end(ended: EndedTurn, expanded: boolean): void {
    this.#ended = ended
    this.#treeOnly = false
    this.#attached = true
    this.#region.draw(this.#blocks(ended, expanded), true)
  }

  /** Something else was written below it. */
  detach(): void {
    this.#region.detach()
    this.#attached = false
  }

  /**
   * Draws the turn anew: in place if all of it is still there, else its tree below. `promptRow` is the cursor's row within the
   * prompt, which is wiped. False: there is no tree, and nothing was done.
   */
  toggled(expanded: boolean, promptRow: number): boolean {
    const ended = this.#ended
    if (!ended?.turn.items.some(({ kind }) => kind === 'delegation')) return false
    const fits = this.#region.height + promptRow + 1 <= this.#screen.rows
    this.#screen.redraw(promptRow, [])
    if (!this.#attached || !this.#region.whole || !fits) {
      this.#region.detach()
      this.#treeOnly = true
      this.#attached = true
    }
    this.#region.draw(this.#blocks(ended, expanded), true)
    return true
  }

  #blocks({ turn, dropped }: EndedTurn, expanded: boolean): Block[] {
    const { columns } = this.#screen
    const view = { columns, expanded, now: turn.endedAt ?? turn.startedAt, treeOnly: this.#treeOnly }
    const note = dropped && !this.#treeOnly ? wrap(UNANSWERED, columns) : []
    const lines = [...note, ''].map((line): Line => [span(line, 'quiet')])
    return [...renderTurn(turn, view), { lines, settled: 0 }]
  }
}
