import { isObject } from '../shared/records.ts'
import type { Approval } from '../storage/approvals.ts'
import type { Storage } from '../storage/storage.ts'
import type { TaskFacts } from '../storage/tasks.ts'
import { createTool } from '../tools/create-tool.ts'
import type { Tool } from '../tools/tool.ts'

/** The tool with which the subagent of a task asks, and waits for the answer. */
const ASK_TOOL = 'ask'

const DESCRIPTIONS = {
  parent: 'Asks the agent that you work for, and waits for its answer. Use it where you can not go on without knowing.',
  person: 'Asks a person, and waits for the answer. Use it where you can not go on without knowing.',
} as const

/** The tools that the subagent of a task has beside its own. */
export function taskTools(ask: 'parent' | 'person' | undefined): Readonly<Record<string, Tool>> {
  return ask ? { [ASK_TOOL]: askTool(ask) as Tool } : {}
}

function askTool(to: 'parent' | 'person') {
  return createTool({
    id: ASK_TOOL,
    description: DESCRIPTIONS[to],
    inputSchema: {
      type: 'object',
      properties: { question: { type: 'string', description: 'With everything that is needed to answer it.' } },
      required: ['question'],
      additionalProperties: false,
    },
    execute: (input, { suspend, resumeData }) => {
      const { question } = input as { question: string }
      return resumeData === undefined ? suspend({ question, to }) : resumeData
    },
  })
}

/** A question of a task that its parent's model is to answer. */
export interface ParentQuestion {
  readonly toolCallId: string
  readonly round: number
  readonly question: string
}

/** What a task that waits asks its parent; undefined if it waits for something else. */
export async function parentQuestion(
  storage: Storage,
  { taskId, path }: Pick<TaskFacts, 'taskId' | 'path'>,
): Promise<ParentQuestion | undefined> {
  const { items } = await storage.approvals.list({ runId: taskId, status: 'pending', limit: 1_000 })
  // A question of an agent further below is not the parent's to answer.
  const asked = items.find((approval) => approval.path.length === path.length + 1 && isForParent(approval))
  if (!asked) return undefined
  const { toolCallId, round, payload } = asked
  return { toolCallId, round, question: String((payload as { question?: unknown }).question) }
}

function isForParent({ toolName, kind, payload }: Approval): boolean {
  return toolName === ASK_TOOL && kind === 'suspension' && isObject(payload) && payload['to'] === 'parent'
}
