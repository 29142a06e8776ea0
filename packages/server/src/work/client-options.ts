import type { Agent, RunOptions } from '@retinue/core/agent'
import type { RequestContextLike } from '@retinue/core/request-context'
import { defined } from '../defined.ts'
import type { ClientOptions } from '../schemas/run-options.ts'
import { withoutPatterns } from './client-schema.ts'

/** As in a run to which nobody says otherwise. */
const DEFAULT_STEPS = 10

/** The options that a client may set, no wider than the agent's own. */
export async function clientOptions(
  agent: Agent,
  { maxSteps, modelSettings, structuredOutput, requireToolApproval, untilIdle }: ClientOptions,
  requestContext: RequestContextLike,
): Promise<RunOptions> {
  const { defaultOptions } = agent.options
  const isNeeded = maxSteps !== undefined || modelSettings !== undefined
  const defaults =
    isNeeded && typeof defaultOptions === 'function' ? await defaultOptions({ requestContext }) : defaultOptions
  const own = typeof defaults === 'object' ? defaults : {}
  return {
    ...(maxSteps === undefined ? {} : { maxSteps: Math.min(maxSteps, own.maxSteps ?? DEFAULT_STEPS) }),
    ...(modelSettings === undefined ? {} : { modelSettings: narrowed(own.modelSettings, modelSettings) }),
    ...(structuredOutput === undefined
      ? {}
      : { structuredOutput: { schema: withoutPatterns(structuredOutput.schema) } as never }),
    ...(untilIdle === undefined ? {} : { untilIdle: typeof untilIdle === 'boolean' ? untilIdle : defined(untilIdle) }),
    ...(requireToolApproval ? { requireToolApproval } : {}),
  }
}

/** The client's settings over the agent's; an answer is never longer than the agent's may be. */
function narrowed(
  own: RunOptions['modelSettings'],
  given: NonNullable<ClientOptions['modelSettings']>,
): Record<string, unknown> {
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const most = own?.['maxOutputTokens']
  const asked = settings['maxOutputTokens']
  const length = typeof most === 'number' && typeof asked === 'number' ? { maxOutputTokens: Math.min(most, asked) } : {}
  return { ...own, ...settings, ...length }
}
