import { EXIT } from '../exit-codes.ts'
import { untilSettled } from './until-settled.ts'
import { type SchedulesOptions, withSchedules } from './with-schedules.ts'

/** Runs a schedule now, and prints what its agent said; an interruption aborts it, and that is kept. Gives the exit code. */
export function fireSchedule(options: SchedulesOptions & { readonly name: string }): Promise<number> {
  const { json, out, err, name } = options
  return withSchedules(options, async (runner) => {
    const { agent, key } = await runner.find(name)
    const { value: fired, signal } = await untilSettled(runner.fire(agent, key), () => runner.abort())
    if (json) out(`${JSON.stringify(fired, null, 2)}\n`)
    else if (fired.text) out(`${fired.text}\n`)
    if (!fired.ran) err(`"${name}" is running already, and was not fired.\n`)
    if (fired.outcome === 'waiting') return EXIT.waiting
    if (fired.outcome === 'aborted' && signal === 'SIGINT') return EXIT.interrupted
    return fired.outcome === 'completed' ? EXIT.ok : EXIT.failed
  })
}
