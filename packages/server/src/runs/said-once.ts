import type { TrackedRun } from './tracked-run.ts'

/** A message that somebody said, until its run has ended: from then on its thread is sure to have it. */
export interface SaidOnce {
  readonly heard: Promise<{ readonly tracked: TrackedRun | undefined }>
  /** What stands in it. */
  readonly words: string
}
