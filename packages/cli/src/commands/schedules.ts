import { type Command, command, UsageError } from '../command.ts'
import { watchStrayErrors } from '../run/stray-errors.ts'
import { fireSchedule } from '../schedules/fire-schedule.ts'
import { listSchedules, showScheduleLog } from '../schedules/list-schedules.ts'
import type { SchedulesOptions } from '../schedules/with-schedules.ts'
import { wantsColors } from '../wants-colors.ts'

const ACTIONS = ['list', 'fire', 'log'] as const

const schedules: Command = command({
  name: 'schedules',
  description: 'What agents do by themselves: list (default), fire AGENT/KEY now, log AGENT/KEY',
  args: {
    action: { type: 'positional', required: false, description: ACTIONS.join(', ') },
    schedule: {
      type: 'positional',
      required: false,
      description: 'The schedule: desk/daily is schedules/daily of the agent desk',
    },
    model: {
      type: 'string',
      valueHint: 'provider/model',
      description: "fire: every agent's model (default: RETINUE_MODEL, else what each agent declares)",
    },
    json: { type: 'boolean', description: 'Print the result as JSON' },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ action = 'list', schedule, model, json, dir }) {
    const options: SchedulesOptions = {
      cwd: process.cwd(),
      dir,
      model,
      json: json === true,
      color: wantsColors(process.stderr),
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
    }
    if (action === 'list') {
      if (schedule !== undefined) throw new UsageError('"list" takes no schedule')
      return listSchedules(options)
    }
    if (action !== 'fire' && action !== 'log')
      throw new UsageError(`there is no action "${action}"; known are ${ACTIONS.join(', ')}`)
    if (schedule === undefined) throw new UsageError(`"${action}" needs a schedule, such as desk/daily`)
    if (action === 'log') return showScheduleLog({ ...options, name: schedule })
    // Watched to the end of the process: what a handler left behind may fail after it, too.
    const { fatal, finished } = watchStrayErrors(options.err, 'What was fired was given up.')
    return fireSchedule({ ...options, name: schedule, fatal }).finally(finished)
  },
})

export default schedules
