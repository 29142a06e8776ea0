import { EXIT } from '../exit-codes.ts'
import { type SchedulesOptions, withSchedules } from './with-schedules.ts'

/** Runs a schedule now, and prints what its agent said. Gives the exit code. */
export function fireSchedule(options: SchedulesOptions & { readonly name: string }): Promise<number> {
  const { json, out, err, name } = options
  return withSchedules(options, async (runner) => {
    const { agent, key } = await runner.find(name)
    const fired = await runner.fire(agent, key)
    if (json) out(`${JSON.stringify(fired, null, 2)}\n`)
    else if (fired.text) out(`${fired.text}\n`)
    if (!fired.ran) err(`"${name}" is running already, and was not fired.\n`)
    if (fired.outcome === 'waiting') return EXIT.waiting
    return fired.outcome === 'completed' ? EXIT.ok : EXIT.failed
  })
}
