import type { CallRef, LoopTool, Run } from '../loop/run.ts'
import { isObject } from '../shared/records.ts'
import { failed, type Outcome } from '../tools/outcome.ts'

/** The tool with which an agent answers what its tasks ask it. */
export const ANSWER_TOOL = 'answerTask'

/** Answers a question of a task. The task goes on, and its result comes later as it would have. */
export const answerTool: LoopTool = {
  definition: {
    type: 'function',
    name: ANSWER_TOOL,
    description: 'Answers a question that a background task asked you. The task then goes on.',
    inputSchema: {
      type: 'object',
      properties: {
        taskId: { type: 'string', description: 'The id of the task, as its question names it.' },
        answer: { type: 'string' },
      },
      required: ['taskId', 'answer'],
      additionalProperties: false,
    },
  },
  check: (args) => {
    const { taskId, answer, ...rest } = isObject(args) ? args : {}
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined) return { ok: false, issues: `${unknown}: it is not known` }
    if (typeof taskId !== 'string') return { ok: false, issues: 'taskId: it must be a text' }
    return typeof answer === 'string' ? { ok: true, value: args } : { ok: false, issues: 'answer: it must be a text' }
  },
  execute: async (args: unknown, _call: CallRef, run: Run): Promise<Outcome> => {
    const { taskId, answer } = args as { taskId: string; answer: string }
    const outcome = await run.root.tasks?.answer(run, taskId, answer)
    return outcome ?? failed('task-not-found', 'There are no background tasks here.')
  },
}
