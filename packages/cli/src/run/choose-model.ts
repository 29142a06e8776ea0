import type { ChooseModel, ModelChoice } from '@retinue/core'
import type { ScriptedModels } from '@retinue/core/testing'
import { missingKey } from './missing-key.ts'
import { isScriptName, readScript } from './script-file.ts'

/** The model that stands in where no declared one can answer. It is no language model, and says so in every reply. */
const STAND_IN = 'offline/planner'

/**
 * Decides which model answers for each agent: `--model`, then RETINUE_MODEL, then what the agent declares if its key is there, else
 * the offline planner. It never goes to a provider that neither the person nor the config named. `offline/script:FILE` plays the
 * turns of a file, which is read below `cwd` when the first agent asks.
 */
export function modelChooser(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string = process.cwd(),
): ChooseModel {
  const override = flag ?? (env['RETINUE_MODEL'] || undefined)
  const source = flag === undefined ? 'RETINUE_MODEL' : '--model'
  const why = `${source} is set`
  let script: Promise<ScriptedModels> | undefined
  return async ({ declared, path }) => {
    if (override !== undefined && isScriptName(override)) {
      script ??= readScript(override, cwd)
      return { use: (await script).at(path.join('/')), why }
    }
    if (override !== undefined) return { use: override, why }
    // A list goes on to its next model where a key is missing; only if no model of it can answer something must stand in.
    const missing = declared.flatMap((choice) => missingKey(choice, env) ?? [])
    if (missing.length < declared.length) return undefined
    return { use: STAND_IN, why: whyNone(declared, missing) }
  }
}

function whyNone(declared: readonly ModelChoice[], missing: readonly string[]): string {
  if (declared.length === 0) return 'the agent declares no model'
  return `${[...new Set(missing)].join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set`
}
