/** The exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** Findings, or a run that failed. */
  failed: 1,
  usage: 2,
  modelUnavailable: 3,
  interrupted: 130,
} as const
