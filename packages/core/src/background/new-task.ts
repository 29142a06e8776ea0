import type { PendingCall } from '../loop/pending-call.ts'
import type { Run } from '../loop/run.ts'
import { toJson } from '../shared/json.ts'
import type { NewTask } from '../storage/tasks.ts'
import type { Value } from '../storage/values.ts'
import type { OpenTask, Outcome } from '../tools/outcome.ts'
import { packTerms, type StoredTerms } from './stored-terms.ts'

/** The record of a task that begins. */
export function newTask(taskId: string, run: Run, call: PendingCall, terms: StoredTerms): NewTask {
  const { root, state } = run
  return {
    taskId,
    rootRunId: root.decisionId,
    parentTree: root.runId,
    parentRunId: state.runId,
    tells: tellsThread(run) ? 'thread' : 'run',
    agentId: state.path[0] as string,
    path: state.path,
    toolName: call.toolName,
    toolCallId: call.toolCallId,
    ...root.owner,
    args: asValue(call.edited ?? call.args),
    terms: packTerms(terms),
    at: root.effects.now(),
  }
}

/** Whether the next run on the thread is told what this run no longer can be. */
export function tellsThread({ root, state, kept, thread }: Run): boolean {
  return root.runId === state.runId && kept !== undefined && thread?.readOnly === false
}

/** What the model reads at once, and the application gets. */
export function placeholder(task: OpenTask): Outcome {
  const { taskId, toolCallId, toolName } = task
  const value = `"${toolName}" goes on in the background, as the task ${taskId}. It has not ended: a message tells of it when it has. Do not call it again for the same work.`
  return {
    kind: 'result',
    result: { background: true, taskId, message: value },
    output: { type: 'text', value },
    task: { taskId, toolCallId, toolName },
  }
}

function asValue(value: unknown): Value {
  const json = toJson(value)
  return json.ok ? (json.value as Value) : `[not saved: ${json.reason}]`
}

/** Whether a call is that of a plain tool. */
export function isPlainTool({ delegation, tool }: PendingCall): boolean {
  return !delegation && tool?.delegatesTo === undefined
}

/** The agent that does the work. */
export function workerOf(run: Run, call: PendingCall): string {
  return call.delegation?.facts.primitiveId ?? call.tool?.delegatesTo ?? run.agentId
}

/** Whether a call is the client's to run. */
export function isClients({ tool, problem }: PendingCall): boolean {
  return tool !== undefined && !tool.execute && !problem
}
