import { isModelUnavailable } from '@retinue/core'
import { EXIT } from '../exit-codes.ts'
import { untilSettled } from './until-settled.ts'
import { type SchedulesOptions, withSchedules } from './with-schedules.ts'

export interface FireScheduleOptions extends SchedulesOptions {
  /** `agent/key`. */
  readonly name: string
  /** Rejects when the process can't be trusted to go on. */
  readonly fatal?: Promise<never> | undefined
}

/**
 * Runs a schedule now, and prints what its agent said; an interruption aborts it, and so does an error that nobody handles, and that it
 * was aborted is kept. Gives the exit code.
 */
export function fireSchedule(options: FireScheduleOptions): Promise<number> {
  const { json, out, err, name, fatal } = options
  return withSchedules(options, async (runner) => {
    const firing = runner.fire(name)
    const work = fatal === undefined ? firing : Promise.race([firing, fatal])
    const abort = (): Promise<void> => runner.stop(0)
    const { value: fired, signal } = await untilSettled(work, abort).catch(async (error: unknown) => {
      await abort()
      throw error
    })
    if (json) out(`${JSON.stringify(fired, null, 2)}\n`)
    else if (fired.text) out(`${fired.text}\n`)
    if (!fired.ran) err(`"${name}" is running already, and was not fired.\n`)
    if (fired.outcome === 'waiting') return EXIT.waiting
    if (fired.outcome === 'aborted' && signal === 'SIGINT') return EXIT.interrupted
    if (isModelUnavailable(fired.error)) return EXIT.modelUnavailable
    return fired.outcome === 'completed' ? EXIT.ok : EXIT.failed
  })
}
