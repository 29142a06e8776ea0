import { ScheduleRunner } from '@retinue/project/runtime'
import { modelChooser } from '../run/choose-model.ts'
import { openApplication } from '../run/open-application.ts'
import { tellFailure } from '../run/tell-outcome.ts'
import { scheduleText } from '../serve/schedule-text.ts'

export interface SchedulesOptions {
  /** The project's directory. */
  readonly cwd: string
  readonly dir?: string | undefined
  readonly model?: string | undefined
  readonly json: boolean
  readonly color: boolean
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Opens a project for what is done with its schedules by hand; none of them runs by itself meanwhile. */
export async function withSchedules(
  options: SchedulesOptions,
  work: (schedules: ScheduleRunner) => Promise<number>,
): Promise<number> {
  const { cwd, model, err } = options
  try {
    const { app, schedules, close } = await openApplication(options)
    try {
      const resolveModel = modelChooser(model, process.env, cwd)
      return await work(new ScheduleRunner({ app, schedules, resolveModel, tell: (event) => err(scheduleText(event)) }))
    } finally {
      await close()
    }
  } catch (error) {
    return tellFailure(error, options)
  }
}
