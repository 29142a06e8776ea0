import type { RequestContextLike } from '../context/request-context.ts'
import { ABORTED, AbortScope } from '../shared/abort.ts'
import type { AgentParts } from './agent-parts.ts'
import { assertOptions, type RunOptions } from './run-options.ts'

/** The defaults for a call; none if it is aborted before a function has given them: the run then ends at once. */
export async function soonDefaults(
  parts: AgentParts,
  requestContext: RequestContextLike,
  signal: AbortSignal | undefined,
): Promise<RunOptions | undefined> {
  const asking = defaultsOf(parts, requestContext)
  if (!(asking instanceof Promise)) return asking
  const scope = new AbortScope(signal)
  try {
    const defaults = await scope.race(asking)
    return defaults === ABORTED ? undefined : defaults
  } finally {
    scope.dispose()
  }
}

/**
 * An agent's defaults for a request: at once where no function has to be asked. What one gives was not there to be checked when the agent
 * was made. Throws, or rejects, with `option-unknown` or `option-invalid`.
 */
export function defaultsOf(
  { options }: AgentParts,
  requestContext: RequestContextLike,
): RunOptions | undefined | Promise<RunOptions> {
  const { defaultOptions } = options
  if (typeof defaultOptions !== 'function') return defaultOptions
  return Promise.resolve(defaultOptions({ requestContext })).then((given) => {
    if (given) assertOptions(given)
    return given
  })
}
