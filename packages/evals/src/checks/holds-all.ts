/** Whether a JSON value holds all of another: objects may hold more, lists and plain values must be the same. */
export function holdsAll(value: unknown, wanted: unknown): boolean {
  if (Object.is(value, wanted)) return true
  if (typeof value !== 'object' || typeof wanted !== 'object' || value === null || wanted === null) return false
  if (Array.isArray(value) || Array.isArray(wanted)) {
    if (!Array.isArray(value) || !Array.isArray(wanted) || value.length !== wanted.length) return false
    return wanted.every((item, index) => holdsAll(value[index], item))
  }
  return Object.entries(wanted).every(
    ([key, item]) => Object.hasOwn(value, key) && holdsAll((value as Record<string, unknown>)[key], item),
  )
}
