import type { ScorerVerdict } from '../events/completion-check.ts'
import type { Scorer } from './scorer.ts'

/** A scorer that grades answers after they are given. */
export interface ScorerEntry {
  readonly scorer: Scorer
  /** Which runs it grades. Default: all. */
  readonly sampling?: Sampling
}

/** Scorers by key, as an agent or a call names them. */
export type Scorers = Readonly<Record<string, Scorer | ScorerEntry>>

/** A share of the runs, from 0 to 1, or none. */
export type Sampling = { readonly type: 'ratio'; readonly rate: number } | { readonly type: 'none' }

/** What a scorer said of a run's answer, after it was given. */
export interface LiveScore extends ScorerVerdict {
  /** The key of the scorer in `scorers`. */
  readonly key: string
  /** The run whose answer it is: the root's, or a child's. */
  readonly runId: string
  readonly agentId: string
  readonly path: readonly string[]
}

/** Called once with each grade of a run, after its answer was given. What it throws is a warning, and changes no grade. */
export type OnScore = (score: LiveScore) => void | Promise<void>
