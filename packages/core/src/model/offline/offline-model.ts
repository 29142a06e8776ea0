import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from '@ai-sdk/provider'
import { streamOf } from './stream.ts'

const NO_TOKENS: LanguageModelV4GenerateResult['usage'] = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/** A model object around a function that answers at once, without a network and without tokens. */
export function offlineModel(
  modelId: string,
  answer: (options: LanguageModelV4CallOptions) => LanguageModelV4Content[],
): LanguageModelV4 {
  const generate = (options: LanguageModelV4CallOptions): LanguageModelV4GenerateResult => {
    options.abortSignal?.throwIfAborted()
    const content = answer(options)
    const calls = content.some((part) => part.type === 'tool-call')
    return {
      content,
      finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: undefined },
      usage: NO_TOKENS,
      warnings: [],
      response: { modelId },
    }
  }
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId,
    supportedUrls: {},
    doGenerate: async (options) => generate(options),
    doStream: async (options) => ({ stream: streamOf(generate(options), options.abortSignal) }),
  }
}
