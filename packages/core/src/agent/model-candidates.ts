import { RetinueError } from '../errors/retinue-error.ts'
import type { ModelUse } from '../events/chunk.ts'
import type { ChooseModel, ModelCandidate } from '../loop/run.ts'
import { isLanguageModel, type LanguageModel, type ModelChoice, modelName } from '../model/language-model.ts'
import { isRegistered, type Providers } from '../model/registered-providers.ts'
import { resolveModel } from '../model/resolve-model.ts'
import { isObject } from '../shared/records.ts'
import type { ModelSetting } from './agent-config.ts'

/** Models that strings named, made once an agent. */
export type ModelCache = Map<string, LanguageModel>

interface Requester {
  readonly agentId: string
  readonly path: readonly string[]
  readonly chooseModel: ChooseModel | undefined
  readonly providers: Providers | undefined
  readonly cache: ModelCache
}

/** The models that can answer for an agent, in the order in which they are asked. Throws `model-missing` or `model-invalid`. */
export async function modelCandidates(
  setting: ModelSetting | undefined,
  requester: Requester,
): Promise<ModelCandidate[]> {
  const { agentId, path, chooseModel } = requester
  const declared = listOf(setting)
  for (const choice of declared) assertModel(choice, agentId)
  const chosen = chooseModel && (await chooseModel({ declared, agentId, path }))
  if (chosen !== undefined) {
    const [first] = declared
    const { use, why } = isObject(chosen) && 'use' in chosen ? chosen : { use: chosen, why: undefined }
    assertModel(use, agentId)
    const requested = first === undefined ? 'none' : modelName(first)
    return [candidate(use, { requested, used: modelName(use), ...(why === undefined ? {} : { why }) }, requester)]
  }
  if (declared.length === 0) throw missing(agentId)
  return declared.map((choice) =>
    candidate(choice, { requested: modelName(choice), used: modelName(choice) }, requester),
  )
}

function listOf(setting: ModelSetting | undefined): readonly ModelChoice[] {
  if (setting === undefined) return []
  return Array.isArray(setting) ? (setting as readonly ModelChoice[]) : [setting as ModelChoice]
}

function missing(agentId: string): RetinueError {
  return new RetinueError({
    code: 'model-missing',
    message: `The agent "${agentId}" has no model.`,
    hint: "Set `model` in its config, such as model: 'openai/gpt-5.5'. There is no hidden default.",
  })
}

function assertModel(choice: unknown, agentId: string): asserts choice is ModelChoice {
  if (typeof choice === 'string' || isLanguageModel(choice)) return
  throw new RetinueError({
    code: 'model-invalid',
    message: `The model of the agent "${agentId}" is no model.`,
    hint: "Pass 'provider/model', an AI SDK language model object (specification v2, v3 or v4), or a list of those.",
  })
}

/** A model of a string is made when it is first asked; a missing key or package is an error then, and not before. */
function candidate(choice: ModelChoice, use: ModelUse, { cache, providers }: Requester): ModelCandidate {
  if (typeof choice !== 'string') return { use, model: choice, make: async () => choice }
  const make = async (): Promise<LanguageModel> => {
    const made = cache.get(choice) ?? (await resolveModel(choice, { providers }))
    // A registered provider belongs to the call; whether it makes its models anew is its own business.
    if (!isRegistered(providers, choice)) cache.set(choice, made)
    return made
  }
  return { use, model: isRegistered(providers, choice) ? undefined : cache.get(choice), make }
}
