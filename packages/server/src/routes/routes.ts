import type { Route } from '../http/route.ts'
import { agentRoutes } from './agents.ts'
import { approvalRoutes } from './approvals.ts'
import { chatRoutes } from './chat.ts'
import { healthRoutes } from './health.ts'
import { openAiRoutes } from './openai.ts'
import { runRoutes } from './runs.ts'
import { taskRoutes } from './tasks.ts'
import { threadRoutes } from './threads.ts'

/** Every route of the server. */
export const ROUTES: readonly Route[] = [
  ...agentRoutes,
  ...chatRoutes,
  ...runRoutes,
  ...approvalRoutes,
  ...taskRoutes,
  ...threadRoutes,
  ...openAiRoutes,
  ...healthRoutes,
]
