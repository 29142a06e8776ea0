/** The code by which the system says what went wrong, such as ENOENT; undefined for an error of anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
