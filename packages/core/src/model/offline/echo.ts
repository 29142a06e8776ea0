import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { offlineModel } from './offline-model.ts'
import { textIn } from './text-in.ts'

/** A model that says back what it was told last: the cheapest way to see that an agent is wired up. It calls no tool. */
export function createEcho(): LanguageModelV4 {
  return offlineModel('echo', ({ prompt }) => [{ type: 'text', text: lastText(prompt) || '(no text)' }])
}

function lastText(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLast((message) => message.role === 'user')
  return last ? textIn(last) : ''
}
