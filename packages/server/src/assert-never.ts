/** For the `default` of an exhaustive switch: it does not compile while a case is missing. */
export function assertNever(value: never): never {
  throw new TypeError(`This can't be: ${JSON.stringify(value)}`)
}
