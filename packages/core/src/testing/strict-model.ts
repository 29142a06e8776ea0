import type { LanguageModelV4 } from '@ai-sdk/provider'
import { assertStrict } from './strict-rules.ts'

/** Makes a model strict: it refuses what the strictest providers refuse, before the model is asked. */
export function strictModel(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (options) => {
      assertStrict(options)
      return model.doGenerate(options)
    },
    doStream: async (options) => {
      assertStrict(options)
      return model.doStream(options)
    },
  }
}
