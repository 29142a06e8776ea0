/** The exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** Findings, or a run that failed. */
  failed: 1,
  usage: 2,
  modelUnavailable: 3,
  /** The run waits for a person. */
  waiting: 5,
  interrupted: 130,
} as const
