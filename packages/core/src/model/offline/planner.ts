import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { replyTo } from './reply.ts'
import { streamOf } from './stream.ts'

const NO_TOKENS: LanguageModelV4GenerateResult['usage'] = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/**
 * A stand-in for a language model that uses none. It routes a request by the descriptions of the tools at hand, fills their
 * arguments from the request, hands results on, and quotes what came back. The same prompt always gives the same bytes.
 */
export function createPlanner(): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'planner',
    supportedUrls: {},
    async doGenerate(options) {
      return generate(options)
    },
    async doStream(options) {
      return { stream: streamOf(generate(options), options.abortSignal) }
    },
  }
}

function generate(options: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  options.abortSignal?.throwIfAborted()
  const content = replyTo(options)
  const calls = content.some((part) => part.type === 'tool-call')
  return {
    content,
    finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: undefined },
    usage: NO_TOKENS,
    warnings: [],
    response: { modelId: 'planner' },
  }
}
