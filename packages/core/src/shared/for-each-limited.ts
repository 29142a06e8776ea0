/** Does `work` for each index below `count`, at most `limit` at the same time. `work` must not throw. */
export async function forEachLimited(
  count: number,
  limit: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  if (count === 1) return work(0)
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(limit, count) }, worker))
}
