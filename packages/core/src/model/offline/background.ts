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

const ENDED =
  /^(?:\[retinue\] )?The background task ([\w-]{1,64}) \("[\w-]{1,64}"\) (has completed|has failed|was cancelled|took too long and was stopped)\.$/
const REFERENCE = /\n\[ref: [^\]\n]{1,100}\]$/

/** What the framework's own messages tell of tasks that have ended. `tasks`: the ids of those that were begun; no other is read. */
export function newsOf(
  prompt: LanguageModelV4CallOptions['prompt'],
  tasks: { has(taskId: string): boolean },
): ReadonlyMap<string, TaskNews> {
  const news = new Map<string, TaskNews>()
  for (const [at, message] of prompt.entries()) {
    if (message.role !== 'user' || !textIn(message).startsWith('[retinue]')) continue
    let open: { taskId: string; how: string; lines: string[] } | undefined
    const close = (): void => {
      if (open) news.set(open.taskId, { at, outcome: outcomeOf(open.how, open.lines.join('\n').trim()) })
    }
    for (const line of textIn(message).split('\n')) {
      const [, taskId = '', how = ''] = ENDED.exec(line) ?? []
      if (tasks.has(taskId)) {
        close()
        open = { taskId, how, lines: [] }
      } else open?.lines.push(line)
    }
    close()
  }
  return news
}

function outcomeOf(how: string, text: string): Outcome {
  const outcome = readOutcome({ type: 'text', value: text.replace(REFERENCE, '') })
  if (how === 'has completed' || outcome.status !== 'ok') return outcome
  return { status: 'failed', reason: text, value: '' }
}
