import { isRetinueError, type RetinueError } from '../src/errors/retinue-error.ts'

/** The typed error that something rejects with; fails if it does not. */
export async function typedError(running: Promise<unknown>): Promise<RetinueError> {
  const thrown = await running.then(
    () => 'it passed',
    (error: unknown) => error,
  )
  if (!isRetinueError(thrown)) throw new Error(`no typed error: ${String(thrown)}`)
  return thrown
}
