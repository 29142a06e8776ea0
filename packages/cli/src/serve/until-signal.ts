import { EXIT } from '../exit-codes.ts'

/**
 * Resolves with an exit code when the process is asked to end: 130 where a person interrupts it, 0 where a system asks it to stop, which
 * is how what serves ends. Asked a second time, it ends at once, with 130 or with 1; `atOnce` is done before that.
 */
export function untilSignal(atOnce: () => void = () => {}): Promise<number> {
  return new Promise((resolve) => {
    let isAsked = false
    const asked = (first: number, again: number) => () => {
      if (!isAsked) {
        isAsked = true
        return resolve(first)
      }
      atOnce()
      process.exit(again)
    }
    process.on('SIGINT', asked(EXIT.interrupted, EXIT.interrupted))
    process.on('SIGTERM', asked(EXIT.ok, EXIT.failed))
  })
}
