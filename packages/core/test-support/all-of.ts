/** Everything that a stream gives, once it has ended. */
export async function allOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}
