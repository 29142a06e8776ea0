import { RetinueError } from '../errors/retinue-error.ts'
import { FORBIDDEN_NAME, isToolName, TOOL_NAME } from '../shared/tool-name.ts'

/** Throws `name-invalid` for what no provider takes as the name of a tool. */
export function assertToolName(name: string, what: string): void {
  if (isToolName(name)) return
  throw new RetinueError({
    code: 'name-invalid',
    message: `${what} ${JSON.stringify(name)} can't be used as a name.`,
    hint: `Use 1 to 64 letters, digits, _ and - (not ${FORBIDDEN_NAME}).`,
    data: { name, pattern: TOOL_NAME.source },
  })
}
