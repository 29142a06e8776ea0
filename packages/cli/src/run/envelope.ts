/** Whether what a call gave is a delegation's outcome: its own events have told of it. */
export function isEnvelope(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'subAgentToolResults' in result
}

/** Whether what a call gave only says that it goes on in the background: the chunks of its task tell of it. */
export function isPlaceholder(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'background' in result && 'taskId' in result
}
