import { RetinueError } from '../errors/retinue-error.ts'

/** How the owners of delegations' threads begin. */
const DELEGATION = 'retinue.delegation:'

/** How the owners of what the framework keeps begin, and no resource of a person does: each with what it is for. */
const RESERVED: readonly (readonly [prefix: string, what: string])[] = [
  [DELEGATION, 'the threads of delegations do'],
  ['retinue.schedule', 'the records of schedules do'],
]

/** How long an id that people choose may be: those of delegations are made longer, level by level. */
const LONGEST_ID = 256

/**
 * Who owns the thread of a delegation: the child, by its key, of the owner of the thread above. What people are told, `ada-research`,
 * can be somebody's own resource, and the same for two children (`b` of `a-c`, `c-b` of `a`); this can't.
 */
export function delegationOwner(key: string, above: string): string {
  return `${DELEGATION}${key.length}:${key}:${above}`
}

/** Throws `option-invalid` for a resource that would own a delegation's thread, or what else the framework keeps. */
export function assertPersonsResource(resource: unknown, option: string): void {
  if (typeof resource !== 'string') return
  const reserved = RESERVED.find(([prefix]) => resource.startsWith(prefix))
  if (reserved === undefined) return
  const [prefix, what] = reserved
  throw new RetinueError({
    code: 'option-invalid',
    message: `${option} begins with "${prefix}", which only ${what}.`,
    hint: 'Name the person or account. A thread of a delegation is read with the thread and the resource that its result tells.',
    data: { option },
  })
}

/** Throws `option-invalid` for the id of a thread or a resource that is too long to be chosen. */
export function assertChosenId(id: unknown, option: string): void {
  if (typeof id !== 'string' || id.length <= LONGEST_ID) return
  throw new RetinueError({
    code: 'option-invalid',
    message: `${option} has ${id.length} characters; an id has at most ${LONGEST_ID}.`,
    hint: 'Keep what the id stands for elsewhere, and choose a short one.',
    data: { option },
  })
}
