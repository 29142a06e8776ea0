import { RetinueError } from '@retinue/core/errors'
import { ScheduleRunner, type ScheduleState } from '@retinue/project/runtime'
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

/** The schedules of a project, by their names. */
interface Schedules {
  list(): Promise<readonly ScheduleState[]>
  /** One of them, `agent/key`. Throws `schedule-unknown`. */
  find(name: string): Promise<ScheduleState>
  fire: ScheduleRunner['fire']
  /** Ends what was fired. */
  abort(): Promise<void>
}

/** Opens a project for what is done with its schedules by hand; none of them runs by itself meanwhile. */
export async function withSchedules(
  options: SchedulesOptions,
  work: (schedules: Schedules) => Promise<number>,
): Promise<number> {
  const { cwd, model, err } = options
  try {
    const { app, schedules, close } = await openApplication(options)
    const resolveModel = modelChooser(model, process.env, cwd)
    const runner = new ScheduleRunner({ app, schedules, resolveModel, tell: (event) => err(scheduleText(event)) })
    const find = async (name: string): Promise<ScheduleState> => {
      const all = await runner.list()
      const found = all.find(({ agent, key }) => `${agent}/${key}` === name)
      if (found === undefined) throw unknown(name, all)
      return found
    }
    return await work({
      list: () => runner.list(),
      find,
      fire: (agent, key) => runner.fire(agent, key),
      abort: () => runner.stop(0),
    }).finally(close)
  } catch (error) {
    return tellFailure(error, options)
  }
}

function unknown(name: string, known: readonly ScheduleState[]): RetinueError {
  const names = known.map(({ agent, key }) => `${agent}/${key}`)
  return new RetinueError({
    code: 'schedule-unknown',
    message: `There is no schedule "${name}".`,
    hint: names.length === 0 ? 'The project has none.' : `Its schedules are ${names.join(', ')}.`,
  })
}
