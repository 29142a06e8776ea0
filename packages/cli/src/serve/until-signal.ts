import { EXIT } from '../exit-codes.ts'

/** Resolves with an exit code when the process is asked to end. Asked a second time, it ends at once. */
export function untilSignal(): Promise<number> {
  return new Promise((resolve) => {
    const asked = (code: number) => () => {
      process.once('SIGINT', () => process.exit(EXIT.interrupted))
      process.once('SIGTERM', () => process.exit(EXIT.failed))
      resolve(code)
    }
    process.once('SIGINT', asked(EXIT.interrupted))
    process.once('SIGTERM', asked(EXIT.ok))
  })
}
