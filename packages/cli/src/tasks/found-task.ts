import type { BackgroundTask } from '@retinue/core/agent'
import type { ApprovalsOptions } from '../approvals/options.ts'
import { type OpenedApplication, openApplication } from '../run/open-application.ts'
import { tellFailure } from '../run/tell-outcome.ts'
import { findTask } from './find-task.ts'

/** What all of `retinue tasks` is called with. */
export type TasksOptions = ApprovalsOptions

/** A task with the application that it belongs to. */
export interface FoundTask extends Pick<OpenedApplication, 'app' | 'agents'> {
  readonly task: BackgroundTask
}

/** Does something with the project's application, and tells what keeps it from being done. Gives the exit code. */
export async function inApplication(
  options: TasksOptions,
  work: (opened: OpenedApplication) => Promise<number>,
): Promise<number> {
  const { fatal } = options
  try {
    const ended = openApplication(options).then((opened) => work(opened).finally(opened.close))
    return await (fatal === undefined ? ended : Promise.race([ended, fatal]))
  } catch (error) {
    return tellFailure(error, options)
  }
}

/** The same with one task, named by its id or a beginning of it, whichever process works on it. */
export function onTask(
  given: string,
  options: TasksOptions,
  work: (found: FoundTask) => Promise<number>,
): Promise<number> {
  return inApplication(options, async ({ app, agents }) => work({ task: await findTask(app, given), app, agents }))
}
