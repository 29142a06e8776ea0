import {
  assertCheckOptions,
  assertCount,
  assertName,
  type Check,
  type CheckOptions,
  createCheck,
  idOf,
} from './create-check.ts'
import { holdsAll } from './holds-all.ts'
import { toolCallsOf } from './run-data.ts'
import { times as inWords, quoted } from './words.ts'

/** Options of `calledTool`. */
export interface CalledToolOptions extends CheckOptions {
  /** Exactly so often. Default: at least once. */
  readonly times?: number
  /** Counts only calls with these arguments: what must be in them, or a function that says whether they will do. */
  readonly args?: Readonly<Record<string, unknown>> | ((args: unknown) => boolean)
}

/**
 * The agent called this tool itself; what its subagents call is not counted, and a delegation is a call of the tool with the subagent's
 * name. A call counts however it ended: see `noToolErrors`.
 */
export function calledTool(name: string, options: CalledToolOptions = {}): Check {
  assertCheckOptions('calledTool', options, ['times', 'args'])
  assertCount('calledTool', 'times', options.times)
  assertName('calledTool', name)
  const { times, args } = options
  const wanted =
    args === undefined ? '' : typeof args === 'function' ? ' with the right arguments' : ` with ${JSON.stringify(args)}`
  const details = [times, typeof args === 'function' ? undefined : args].filter((detail) => detail !== undefined)
  const id = idOf('called-tool', options, name, ...details.map((detail) => JSON.stringify(detail)))
  return createCheck({
    id,
    description: `The tool "${name}" was called${wanted}${times === undefined ? '' : ` ${inWords(times)}`}.`,
    look(run) {
      const all = toolCallsOf(run, id).filter(({ toolName }) => toolName === name)
      const found = all.filter((call) => args === undefined || fits(args, call.args)).length
      const ok = times === undefined ? found > 0 : found === times
      const what = `The tool ${quoted([name])} was called`
      if (ok) return { ok, reason: `${what}${wanted} ${inWords(found)}.` }
      const must = times === undefined ? 'and it must be called' : `and it must be exactly ${inWords(times)}`
      const said =
        found === 0 && all.length === 0
          ? `The tool ${quoted([name])} was not called`
          : `${what}${wanted} ${inWords(found)}`
      return { ok, reason: `${said}, ${must}${wanted !== '' && times === undefined ? wanted : ''}.` }
    },
  })
}

function fits(args: NonNullable<CalledToolOptions['args']>, given: unknown): boolean {
  return typeof args === 'function' ? args(given) === true : holdsAll(given, args)
}
