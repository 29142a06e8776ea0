import { RetinueError } from '../errors/retinue-error.ts'

/** How the owners of delegations' threads begin, and no resource of a person does. */
const DELEGATION = 'retinue.delegation:'

/** How long an id that people choose may be: those of delegations are made longer, level by level. */
const LONGEST_ID = 256

/**
 * Who owns the thread of a delegation: the child, by its key, of the owner of the thread above. What people are told, `ada-research`,
 * can be somebody's own resource, and the same for two children (`b` of `a-c`, `c-b` of `a`); this can't.
 */
export function delegationOwner(key: string, above: string): string {
  return `${DELEGATION}${key.length}:${key}:${above}`
}

/** Throws `option-invalid` for a resource that would be the owner of a delegation's thread. */
export function assertPersonsResource(resource: unknown, option: string): void {
  if (typeof resource !== 'string' || !resource.startsWith(DELEGATION)) return
  throw new RetinueError({
    code: 'option-invalid',
    message: `${option} begins with "${DELEGATION}", which only the threads of delegations do.`,
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
