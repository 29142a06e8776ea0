import type { Usage } from '@retinue/core/agent'

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

export function plus(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    calls: one.calls + other.calls,
    unreportedCalls: one.unreportedCalls + other.unreportedCalls,
  }
}
