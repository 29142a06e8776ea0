import type { ToolCallRecord } from '../events/tool-record.ts'

/** After how many steps with the same failure a run is given up. */
const HOPELESS_AFTER = 3

/** A failure of a step: which tool, and what it said. */
export type Failure = Pick<ToolCallRecord, 'toolName'> & { readonly error: string }

/**
 * Counts, for each failure, in how many steps running it happened. A step counts it once, however many parallel calls failed in
 * the same way: the model has not yet read of the first.
 */
export function countFailures(
  before: Readonly<Record<string, number>>,
  failures: readonly Failure[],
): Record<string, number> {
  const after: Record<string, number> = {}
  for (const { toolName, error } of failures) {
    const key = `${toolName}: ${error}`
    after[key] = (before[key] ?? 0) + 1
  }
  return after
}

/** The failure that happened too often, if one did. */
export function hopelessFailure(counts: Readonly<Record<string, number>>): string | undefined {
  return Object.keys(counts).find((key) => (counts[key] ?? 0) >= HOPELESS_AFTER)
}
