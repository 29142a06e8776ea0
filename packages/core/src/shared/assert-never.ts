/** Makes a `switch` over a union exhaustive: a new member that no case handles does not compile. */
export function assertNever(value: never, what: string): never {
  throw new TypeError(`Unexpected ${what}: ${JSON.stringify(value)}`)
}
