/** Who owns the thread of a delegation: the children by their keys, down from the resource of the thread above. */
export function ownerOf(resource: string, ...keys: readonly string[]): string {
  return keys.reduce((above, key) => `retinue.delegation:${key.length}:${key}:${above}`, resource)
}
