import { parseArgs } from 'node:util'
import { portOf } from '../serve/port.ts'
import { UsageError } from '../usage-error.ts'

export interface OutputPlace {
  readonly port?: number
  readonly host?: string
}

/** What the arguments of a started output say. Throws `UsageError` for what is none of them. */
export function outputArgs(args: readonly string[]): OutputPlace {
  const { port: given, host } = parsed(args)
  const port = portOf(given, '--port')
  return { ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) }
}

function parsed(args: readonly string[]): { readonly port?: string; readonly host?: string } {
  try {
    return parseArgs({ args: [...args], options: { port: { type: 'string' }, host: { type: 'string' } } }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error)
    throw new UsageError(`${reason}: an output takes --port and --host, or PORT and HOST from the environment`)
  }
}
