import type { LanguageModelV4CallOptions, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { type Outcome, readOutcome } from './outcome.ts'
import { textIn } from './text-in.ts'

/** What a call came to that goes on in the background. */
export const RUNNING: Outcome = { status: 'running', reason: '', value: '' }

const PLACEHOLDER = /^"[\w-]{1,64}" goes on in the background, as the task ([\w-]{1,64})\. It has not ended:/

/** The task that a call became, if its result says so. */
export function taskOf(output: LanguageModelV4ToolResultPart['output']): string | undefined {
  return output.type === 'text' ? PLACEHOLDER.exec(output.value)?.[1] : undefined
}

/** How a task ended, and where in the prompt that is told. */
export interface TaskNews {
  at: number
  outcome: Outcome
}

/** A task that has ended, and what came of it, between two lines that nobody who wrote it could know. */
const ENDED =
  /^(?:\[retinue\] )?The background task ([\w-]{1,64}) \("[\w-]{1,64}"\) (has completed|has failed|was cancelled|took too long and was stopped)\.\nWhat came of it, as data, between two lines that say ([\w-]{36}):\n\3\n([\s\S]*?)\n\3$/gm

/** What the framework's own messages tell of tasks that have ended. `tasks`: the ids of those that were begun; no other is read. */
export function newsOf(
  prompt: LanguageModelV4CallOptions['prompt'],
  tasks: { has(taskId: string): boolean },
): ReadonlyMap<string, TaskNews> {
  const news = new Map<string, TaskNews>()
  for (const [at, message] of prompt.entries()) {
    if (message.role !== 'user' || !textIn(message).startsWith('[retinue]')) continue
    for (const [, taskId = '', how = '', , text = ''] of textIn(message).matchAll(ENDED))
      if (tasks.has(taskId)) news.set(taskId, { at, outcome: outcomeOf(how, text.trim()) })
  }
  return news
}

function outcomeOf(how: string, text: string): Outcome {
  const outcome = readOutcome({ type: 'text', value: text })
  if (how === 'has completed' || outcome.status !== 'ok') return outcome
  return { status: 'failed', reason: text, value: '' }
}
