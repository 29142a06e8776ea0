/** The command line was wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
