/** Does `work` for each index below `count`, at most `limit` at the same time. `work` must not throw. */
export function forEachLimited(count: number, limit: number, work: (index: number) => Promise<void>): Promise<unknown> {
  if (count === 1) return work(0)
  if (count <= limit) return Promise.all(Array.from({ length: count }, (_none, index) => work(index)))
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  return Promise.all(Array.from({ length: limit }, worker))
}
