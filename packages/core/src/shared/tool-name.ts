/** What every provider accepts as the name of a tool: also the form of an agent's keys. */
export const TOOL_NAME: RegExp = /^[A-Za-z0-9_-]{1,64}$/

/** The one legal name that no own map can hold as an ordinary key in JSON that others read. */
export const FORBIDDEN_NAME = '__proto__'

export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name) && name !== FORBIDDEN_NAME
}

/** A legal name for a call to a name that is none, so that the history stays valid for every provider. */
export function legalToolName(name: string): string {
  if (isToolName(name)) return name
  const legal = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
  return isToolName(legal) ? legal : 'unknown_tool'
}
