/**
 * Why a run ended. `stop`: the model answered. `length`, `content-filter`, `other`: the provider cut it. `tool-calls`: a tool
 * that the client runs waits. `max-steps`: the bound on iterations. `bailed`: a hook
 * stopped it with a delegation's answer. `incomplete`: its answer did not pass the check of
 * completion. `over-budget`: more was asked for than the budget has left. `aborted`: by the caller.
 * `error`: see the run's `error`.
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
  | 'aborted'
  | 'error'
  | 'other'
