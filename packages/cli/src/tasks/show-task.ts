import type { BackgroundTask, TaskQuestion } from '@retinue/core/agent'
import { EXIT } from '../exit-codes.ts'
import { elapsed } from '../run/elapsed.ts'
import { callLines, valueLines } from '../run/pending-text.ts'
import { safeLine, safeText } from '../safe-text.ts'
import { timeText } from '../table.ts'
import type { FoundTask, TasksOptions } from './found-task.ts'
import { resultText } from './task-result.ts'

/** Prints one task whole: what it was given, how it stands, what it asks and what came of it. Gives the exit code. */
export async function showTask({ task, app }: FoundTask, { json, out }: TasksOptions): Promise<number> {
  const asked = (await app.tasks.questions()).filter(({ taskId }) => taskId === task.taskId)
  if (json) out(`${JSON.stringify({ ...task, questions: asked }, null, 2)}\n`)
  else out(wholeTask(task, asked))
  return EXIT.ok
}

function wholeTask(task: BackgroundTask, asked: readonly TaskQuestion[]): string {
  const facts = Object.entries(factsOf(task)).filter(([, value]) => value !== undefined)
  const width = Math.max(...facts.map(([name]) => name.length))
  const lines = facts.map(([name, value]) => `${name.padEnd(width)}  ${safeLine(value ?? '')}`)
  const given = ['given:', ...valueLines(task.args, '  ', MORE)]
  const questions = asked.flatMap((question) => callLines(question, MORE))
  const result = resultText(task)
  const gave = result === undefined || result.trim() === '' ? [] : ['gave:', safeText(result).trimEnd()]
  return `${[...lines, ...given, ...questions, ...gave].join('\n')}\n`
}

const MORE = '"--json" shows all of it'

function factsOf(task: BackgroundTask): Record<string, string | undefined> {
  const { taskId, status, path, toolName, attempts, createdAt, startedAt, endedAt, deliveredAt, error } = task
  const took = startedAt === undefined || endedAt === undefined ? '' : ` (${elapsed(endedAt - startedAt)})`
  return {
    task: taskId,
    is: status,
    runs: toolName,
    by: path.join(' › '),
    tries: String(attempts),
    begun: timeText(createdAt),
    ended: endedAt === undefined ? undefined : `${timeText(endedAt)}${took}`,
    told: deliveredAt === undefined ? undefined : timeText(deliveredAt),
    why: error === undefined ? undefined : `${error.code}: ${error.message}`,
    run: task.rootRunId,
    thread: task.threadId,
    resource: task.resourceId,
  }
}
