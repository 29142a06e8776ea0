import { approvalAmbiguous, approvalNotFound } from '../approvals/approval-errors.ts'
import { pendingToolCall } from '../background/asked-by-tasks.ts'
import { OPEN } from '../background/open-states.ts'
import { soundTerms } from '../background/stored-terms.ts'
import { endOf } from '../background/task-outcome.ts'
import { assertKnownKeys, optionInvalid } from '../errors/option-errors.ts'
import type { Application } from '../memory/application.ts'
import { isObject } from '../shared/records.ts'
import type { Page } from '../storage/page.ts'
import type { Storage } from '../storage/storage.ts'
import type { TaskFacts, TaskQuery } from '../storage/tasks.ts'
import type { BackgroundTask, TaskQuestion } from './background-tasks.ts'
import { taskManagerIn } from './task-manager-in.ts'

const QUERY: Readonly<Record<keyof TaskQuery, true>> = {
  rootRunId: true,
  parentRunId: true,
  agentId: true,
  threadId: true,
  resourceId: true,
  status: true,
  undelivered: true,
  limit: true,
  cursor: true,
}

export async function listTasks(application: Application, query: TaskQuery): Promise<Page<TaskFacts>> {
  if (!isObject(query)) throw optionInvalid('What is listed is said in an object.', "tasks.list({ status: 'running' })")
  assertKnownKeys(query, QUERY, 'These options are not known')
  return (await storageIn(application)).tasks.list(query)
}

export async function getTask(application: Application, taskId: string): Promise<BackgroundTask> {
  const stored = await (await storageIn(application)).tasks.get(taskId)
  const { terms: _terms, outcome: given, claims: _claims, ...task } = stored
  if (given === undefined) return task
  const { outcome } = endOf(stored)
  return outcome.kind === 'result' ? { ...task, result: outcome.result } : task
}

export async function cancelTask(application: Application, taskId: string, reason: string): Promise<boolean> {
  return (await taskManagerIn(application)).cancel(taskId, reason)
}

export async function sendToTask(application: Application, taskId: string, text: string): Promise<void> {
  if (typeof text !== 'string' || text.trim() === '')
    throw optionInvalid('What is said to a task is no text.', "tasks.send(taskId, 'Look at 2024 only.')")
  const { tasks } = await storageIn(application)
  const task = await tasks.get(taskId)
  if (soundTerms(task)?.isTool)
    throw optionInvalid(
      `The background task "${taskId}" is the tool "${task.toolName}": no model works on it that could read what is said to it.`,
      'Say it to the task of a subagent; a tool can be cancelled.',
    )
  await tasks.send({ taskId, text, at: Date.now() })
}

export async function questionsOfTasks(
  application: Application,
  query: Omit<TaskQuery, 'status' | 'undelivered'>,
): Promise<readonly TaskQuestion[]> {
  const storage = await storageIn(application)
  const all: TaskQuestion[] = []
  let cursor = query.cursor
  do {
    const page = await storage.tasks.list({ ...query, status: OPEN, ...(cursor === undefined ? {} : { cursor }) })
    for (const { taskId } of page.items) {
      const { items } = await storage.approvals.list({ runId: taskId, status: 'pending', limit: 1_000 })
      all.push(...items.map((item) => ({ ...pendingToolCall(item), taskId })))
    }
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

/** The task, and the call of it that is answered. Rejects where it can't be told which. */
export async function askedOf(
  application: Application,
  taskId: string,
  toolCallId: string | undefined,
): Promise<{ readonly task: TaskFacts; readonly toolCallId: string }> {
  const storage = await storageIn(application)
  const task = await storage.tasks.get(taskId)
  if (toolCallId !== undefined) return { task, toolCallId }
  const { items } = await storage.approvals.list({ runId: taskId, status: 'pending', limit: 1_000 })
  const [only, ...others] = items
  if (!only) throw approvalNotFound(taskId, undefined)
  if (others.length > 0)
    throw approvalAmbiguous(
      taskId,
      items.map((item) => item.toolCallId),
    )
  return { task, toolCallId: only.toolCallId }
}

export async function settledTasks(application: Application): Promise<void> {
  await (await taskManagerIn(application)).settled()
}

async function storageIn(application: Application): Promise<Storage> {
  return (await taskManagerIn(application)).site.storage
}
