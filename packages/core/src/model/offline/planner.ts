import type { LanguageModelV4 } from '@ai-sdk/provider'
import { offlineModel } from './offline-model.ts'
import { replyTo } from './reply.ts'

/**
 * A stand-in for a language model that uses none. It routes a request by the descriptions of the tools at hand, fills their
 * arguments from the request, hands results on, and quotes what came back. The same prompt always gives the same bytes.
 */
export function createPlanner(): LanguageModelV4 {
  return offlineModel('planner', replyTo)
}
