import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * This process, as a text that stands beside a lease. A process is known by its number and by when it started, since numbers are given
 * again; and where numbers are counted by the name of the machine, and on Linux by its boot and the namespace: two containers may have
 * the same name, and neither sees the processes of the other.
 */
export function thisProcess(): string {
  return JSON.stringify([placeOfProcesses(), process.pid, statOf(process.pid)?.start ?? null])
}

/** Whether the process of such a text has ended. False for one that can't be seen from here: nobody knows. */
export function isDead(text: string): boolean {
  const [place, pid, start] = partsOf(text)
  if (place !== placeOfProcesses() || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return false
  if (!isThere(pid)) return true
  const stat = statOf(pid)
  // One that was killed is there until its parent has looked, and does nothing any more.
  return stat !== undefined && (stat.isZombie || (typeof start === 'string' && start !== stat.start))
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Whoever may not signal a process knows that it is there.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function placeOfProcesses(): string {
  const boot = orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const namespace = orNothing(() => readlinkSync('/proc/self/ns/pid'))
  return [hostname(), boot, namespace].join(' ')
}

/** What the system says of a process. Undefined where there is no `/proc`, or the process is hidden. */
function statOf(pid: number): { readonly isZombie: boolean; readonly start: string } | undefined {
  const text = orNothing(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The name of the program stands in brackets, and may hold some itself: the state is the first field after it, the start the twentieth.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [fields?.[0], fields?.[19]]
  if (state === undefined || start === undefined) return undefined
  return { isZombie: state === 'Z' || state === 'X', start }
}

function partsOf(text: string): unknown[] {
  const parts = orNothing((): unknown => JSON.parse(text))
  return Array.isArray(parts) ? parts : []
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
