import type { Retinue } from '@retinue/core'
import type { Agent, BackgroundTask } from '@retinue/core/agent'
import type { ApprovalsOptions } from '../approvals/options.ts'
import { openApplication } from '../run/open-application.ts'
import { tellFailure } from '../run/tell-outcome.ts'
import { findTask } from './find-task.ts'

/** What all of `retinue tasks` is called with. */
export type TasksOptions = ApprovalsOptions

/** What is done with one task. */
export interface TaskOptions extends TasksOptions {
  /** Its id, or a beginning of it that no other has. */
  readonly taskId: string
}

/** A task with the application that it belongs to. */
export interface FoundTask {
  readonly task: BackgroundTask
  readonly app: Retinue
  readonly agents: Readonly<Record<string, Agent>>
}

/** Does something with a task of the project's storage, whichever process works on it. Gives the exit code. */
export async function onTask(options: TaskOptions, work: (found: FoundTask) => Promise<number>): Promise<number> {
  const { fatal, taskId } = options
  try {
    const ended = openApplication(options).then(({ app, agents, close }) =>
      findTask(app, taskId)
        .then((task) => work({ task, app, agents }))
        .finally(close),
    )
    return await (fatal === undefined ? ended : Promise.race([ended, fatal]))
  } catch (error) {
    return tellFailure(error, options)
  }
}
