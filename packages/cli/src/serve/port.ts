import { UsageError } from '../usage-error.ts'

/** The port that a person gave, by a flag or a variable; undefined where none was. Throws `UsageError`. */
export function portOf(given: string | undefined, from: string): number | undefined {
  if (given === undefined || given === '') return undefined
  const port = Number(given)
  if (/^\d+$/.test(given) && port <= 65_535) return port
  throw new UsageError(`${from} is "${given}", and a port is a number from 0 to 65535`)
}
