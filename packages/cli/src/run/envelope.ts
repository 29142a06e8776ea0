/** Whether what a call gave is a delegation's outcome: its own events have told of it. */
export function isEnvelope(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'subAgentToolResults' in result
}
