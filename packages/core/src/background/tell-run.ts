import { keepReference, newReference } from '../delegation/references.ts'
import { isEnvelope } from '../events/envelope.ts'
import { addUsage } from '../events/usage.ts'
import { addMessage, type Run } from '../loop/run.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import type { UserMessage } from '../messages/message.ts'
import type { StoredTask } from '../storage/tasks.ts'
import type { OpenTask, Outcome } from '../tools/outcome.ts'
import { type TaskNews, taskNote } from './task-note.ts'
import { endOf, type TaskEnd } from './task-outcome.ts'

/** Puts all of it into the conversation, as one message; the text that the run ends with, where a hook said so. */
export function tellRun(run: Run, ended: readonly StoredTask[], damaged: ReadonlySet<string>): string | undefined {
  const unreadable = (run.state.tasks ?? []).filter(({ taskId }) => damaged.has(taskId))
  if (ended.length + unreadable.length === 0) return undefined
  const taskIds = ended.map(({ taskId }) => taskId)
  forgetTasks(run, new Set([...taskIds, ...damaged]))
  run.told = taskIds
  const ends = ended.map(endOf)
  const news = ended.map((task, index) => newsOf(run, task, (ends[index] as TaskEnd).outcome))
  addMessage(run, taskNote([...news, ...unreadable.map(damagedNews)], run.root.effects.newId()))
  let bail: string | undefined
  for (const { outcome, usage } of ends) {
    addUsage(run.state.totalUsage, usage)
    for (const note of feedbackIn(outcome)) addMessage(run, note)
    if (outcome.kind === 'result') bail ??= outcome.bail
  }
  return bail
}

/** What another run than the one that began them is told of tasks. */
export function notesOf(ended: readonly StoredTask[], mark: string): UserMessage[] {
  const outcomes = ended.map((task) => endOf(task).outcome)
  const news = ended.map(({ taskId, toolName, status }, index) => {
    const { output } = outcomes[index] as Outcome
    return { taskId, toolName, status: status as TaskNews['status'], output }
  })
  return [taskNote(news, mark), ...outcomes.flatMap(feedbackIn)]
}

/** What a hook said of a result. */
function feedbackIn(outcome: Outcome): UserMessage[] {
  if (outcome.kind !== 'result' || outcome.feedback === undefined) return []
  return [frameworkNote(outcome.feedback, 'delegation-feedback')]
}

function newsOf(run: Run, { taskId, toolName, status }: StoredTask, outcome: Outcome): TaskNews {
  const isNamed = run.delegation.enableResultReferences && outcome.kind === 'result' && isEnvelope(outcome.result)
  const news = { taskId, toolName, status: status as TaskNews['status'], output: outcome.output }
  if (!isNamed || status !== 'completed' || outcome.output.type !== 'text') return news
  const reference = newReference(run, toolName, outcome.output.value)
  keepReference(run, reference)
  return { ...news, ref: reference.id }
}

function damagedNews({ taskId, toolName }: OpenTask): TaskNews {
  const output = { type: 'error-text', value: 'What came of it is damaged, and nobody can read it.' } as const
  return { taskId, toolName, status: 'failed', output }
}

/** Tasks that a run waits for no more. */
export function forgetTasks({ state }: Run, gone: ReadonlySet<string>): void {
  state.tasks = (state.tasks ?? []).filter(({ taskId }) => !gone.has(taskId))
}
