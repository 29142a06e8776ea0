import { type ChooseModel, keyVariables, type ModelChoice } from '@retinue/core'

/** The model that stands in where no declared one can answer. It is no language model, and says so in every reply. */
const STAND_IN = 'offline/planner'

/**
 * Decides which model answers for each agent: `--model`, then RETINUE_MODEL, then what the agent declares if its key is there, else
 * the offline planner. It never goes to a provider that neither the person nor the config named.
 */
export function modelChooser(flag: string | undefined, env: Readonly<Record<string, string | undefined>>): ChooseModel {
  const override = flag ?? (env['RETINUE_MODEL'] || undefined)
  const source = flag === undefined ? 'RETINUE_MODEL' : '--model'
  return ({ declared }) => {
    if (override !== undefined) return { use: override, why: `${source} is set` }
    // A list goes on to its next model where a key is missing; only if no model of it can answer something must stand in.
    const missing = declared.flatMap((choice) => missingKey(choice, env) ?? [])
    if (missing.length < declared.length) return undefined
    const why =
      declared.length === 0
        ? 'the agent declares no model'
        : `${[...new Set(missing)].join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set`
    return { use: STAND_IN, why }
  }
}

/** The variable that a model's provider misses; undefined if it can be asked. */
function missingKey(choice: ModelChoice, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (typeof choice !== 'string') return undefined
  const variables = keyVariables(choice)
  return variables.length === 0 || variables.some((name) => env[name]) ? undefined : variables[0]
}
