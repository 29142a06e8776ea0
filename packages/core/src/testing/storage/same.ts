/** Whether two values are equal as stores promise it: also in `-0`, URLs, bytes and own keys of any name; absent is as undefined. */
export function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (one instanceof URL || other instanceof URL) {
    return one instanceof URL && other instanceof URL && one.href === other.href
  }
  const lists = [one, other].filter((value) => Array.isArray(value) || value instanceof Uint8Array)
  if (lists.length > 0) {
    if (lists.length < 2 || one.constructor !== other.constructor) return false
    const [left, right] = [one, other] as unknown as [ArrayLike<unknown>, ArrayLike<unknown>]
    return left.length === right.length && Array.from(left).every((value, index) => same(value, right[index]))
  }
  const [left, right] = [definedOf(one), definedOf(other)]
  return left.size === right.size && [...left].every(([key, value]) => right.has(key) && same(value, right.get(key)))
}

function definedOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, property]) => property !== undefined))
}
