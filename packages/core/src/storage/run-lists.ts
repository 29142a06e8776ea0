/** How the ids of the lists begin that are deleted with a run. No run's is the beginning of another one's. */
export function listsOfRun(runId: string): string {
  return `run:${runId.length}:${runId}:`
}
