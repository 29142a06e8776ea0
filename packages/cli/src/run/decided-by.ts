import { userInfo } from 'node:os'

/** Who decides at a command line, for the record: the user of the system, where it knows one. */
export function decidedBy(): string {
  try {
    return userInfo().username || 'cli'
  } catch {
    // A container may run under a number that belongs to nobody.
    return 'cli'
  }
}
