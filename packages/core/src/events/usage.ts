/** Tokens that model calls reported. Counts that no call reported are 0; `unreportedCalls` tells how many calls said nothing. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  reasoningTokens: number
  /** Input tokens that came from the provider's cache; part of `inputTokens`. */
  cachedInputTokens: number
  /** Model calls that were made. */
  calls: number
  /** Model calls among them that reported no usage. */
  unreportedCalls: number
}

export function noUsage(): Usage {
  return {
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    reasoningTokens: 0,
    cachedInputTokens: 0,
    calls: 0,
    unreportedCalls: 0,
  }
}

/** Adds `more` to `sum`, in place. */
export function addUsage(sum: Usage, more: Usage): void {
  sum.inputTokens += more.inputTokens
  sum.outputTokens += more.outputTokens
  sum.totalTokens += more.totalTokens
  sum.reasoningTokens += more.reasoningTokens
  sum.cachedInputTokens += more.cachedInputTokens
  sum.calls += more.calls
  sum.unreportedCalls += more.unreportedCalls
}
