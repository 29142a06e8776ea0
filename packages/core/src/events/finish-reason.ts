/**
 * Why a run ended. `stop`: the model answered, or a hook or a condition stopped the run. `length`, `content-filter`: the provider cut it.
 * `other`: the provider gave no reason that is known, or a processor stopped the run; then its `error` says why. `tool-calls`: a tool
 * that the client runs waits. `max-steps`: the bound on iterations. `bailed`: a hook
 * stopped it with a delegation's answer. `incomplete`: its answer did not pass the check of
 * completion. `over-budget`: more was asked for than the budget has left. `aborted`: by the caller, by `timeout.totalMs`, or by a parent
 * that needs it no more.
 * `suspended`: calls of it wait for a person, and it goes on when they are decided. `error`: see the run's `error`.
 */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'content-filter'
  | 'tool-calls'
  | 'max-steps'
  | 'bailed'
  | 'incomplete'
  | 'over-budget'
  | 'suspended'
  | 'aborted'
  | 'error'
  | 'other'
