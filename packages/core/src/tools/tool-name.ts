import { RetinueError } from '../errors/retinue-error.ts'

/** What every provider accepts as the name of a tool: also the form of an agent's keys. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** The one legal name that no own map can hold as an ordinary key in JSON that others read. */
const FORBIDDEN = '__proto__'

export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name) && name !== FORBIDDEN
}

export function assertToolName(name: string, what: string): void {
  if (isToolName(name)) return
  throw new RetinueError({
    code: 'name-invalid',
    message: `${what} ${JSON.stringify(name)} can't be used as a name.`,
    hint: `Use 1 to 64 letters, digits, _ and - (not ${FORBIDDEN}).`,
    data: { name, pattern: TOOL_NAME.source },
  })
}

/** A legal name for a call to a name that is none, so that the history stays valid for every provider. */
export function legalToolName(name: string): string {
  if (isToolName(name)) return name
  const legal = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
  return isToolName(legal) ? legal : 'unknown_tool'
}
