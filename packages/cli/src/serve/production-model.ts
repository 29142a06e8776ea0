import { type ChooseModel, knownProviders } from '@retinue/core'
import type { Agent } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import { agentModels } from '../run/agent-models.ts'
import { missingKey } from '../run/missing-key.ts'
import { modelNameOf } from '../run/model-name.ts'
import { UsageError } from '../usage-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Which model answers in production: RETINUE_MODEL, else what each agent declares. The offline stand-in is no language model, and
 * people would take it for one: only a config may name it. Throws `UsageError`, or `model-offline-refused`.
 */
export function productionModel(env: Environment): ChooseModel | undefined {
  const use = modelNameOf(env['RETINUE_MODEL'], 'RETINUE_MODEL')
  if (use === undefined) return undefined
  if (use.startsWith('offline/')) throw refused(`RETINUE_MODEL is "${use}"`, 'Unset it, or name a language model.')
  return () => ({ use, why: 'RETINUE_MODEL is set' })
}

/** Throws `UsageError` if RETINUE_MODEL names a provider that is neither known nor registered by an agent, as far as that can be told. */
export function assertProviderKnown(agents: readonly Agent[], env: Environment): void {
  const use = env['RETINUE_MODEL']
  if (!use) return
  const provider = use.slice(0, use.indexOf('/'))
  const own = agents.flatMap(({ options: { defaultOptions } }) =>
    // What a function gives for a request is not known.
    typeof defaultOptions === 'function' ? [provider] : Object.keys(defaultOptions?.providers ?? {}),
  )
  const known = [...knownProviders(), ...own]
  if (!known.includes(provider))
    throw new UsageError(
      `RETINUE_MODEL is "${use}", and no provider is called "${provider}": known are ${[...new Set(known)].join(', ')}`,
    )
}

/** An agent that no model can answer for, and the variables that are not set. */
export interface UnansweredAgent {
  readonly path: string
  readonly variables: readonly string[]
}

/** The agents whose every model lacks its key. Of what a function decides for each request, nothing is said. */
export async function unansweredAgents(
  agents: readonly Agent[],
  env: Environment,
): Promise<readonly UnansweredAgent[]> {
  const use = env['RETINUE_MODEL']
  const found: UnansweredAgent[] = []
  for (const agent of agents) {
    await agentModels(agent, ({ declared, path }) => {
      const choices = use ? [use] : declared
      const variables = choices.flatMap((choice) => missingKey(choice, env) ?? [])
      if (choices.length > 0 && variables.length === choices.length)
        found.push({ path: path.join('/'), variables: [...new Set(variables)] })
      return undefined
    })
  }
  return found
}

/** Throws `model-offline-refused` if an agent could only be answered for by the offline stand-in. */
export async function assertAnswered(agents: readonly Agent[], env: Environment): Promise<void> {
  const unanswered = await unansweredAgents(agents, env)
  if (unanswered.length === 0) return
  const variables = [...new Set(unanswered.flatMap((agent) => agent.variables))]
  const names = unanswered.map(({ path }) => path).join(', ')
  throw refused(
    `${variables.join(' and ')} ${variables.length > 1 ? 'are' : 'is'} not set, so no language model answers for ${names}`,
    `Set ${variables.join(' and ')}, or RETINUE_MODEL; to serve the stand-in on purpose, write it in the config: model: 'offline/planner'.`,
  )
}

function refused(why: string, hint: string): RetinueError {
  return new RetinueError({
    code: 'model-offline-refused',
    message: `The offline model does not serve: ${why}.`,
    hint,
  })
}
