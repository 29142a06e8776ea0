import { RetinueError } from '../errors/retinue-error.ts'
import type { Application } from '../memory/application.ts'
import type { TaskFacts } from '../storage/tasks.ts'
import { type AgentParts, PARTS } from './agent-parts.ts'
import type { Site } from './take-run.ts'

/** The root agent of a task, as its application has it. Throws `agent-unknown`. */
export function siteOfTask(application: Application, { agentId, taskId }: TaskFacts): Site {
  const agent = application.background?.agentOf(agentId) as { [PARTS]?: AgentParts } | undefined
  const parts = agent?.[PARTS]
  if (parts) return { parts, application }
  throw new RetinueError({
    code: 'agent-unknown',
    message: `The application has no agent "${agentId}" any more.`,
    hint: 'Go on with its tasks in the version that began them, or cancel them.',
    data: { agentId, taskId },
  })
}
