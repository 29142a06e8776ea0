import { RetinueError } from '../errors/retinue-error.ts'
import type { ModelUse } from '../events/chunk.ts'
import type { ChooseModel, ModelCandidate } from '../loop/run.ts'
import { isLanguageModel, type LanguageModel, type ModelChoice, modelName } from '../model/language-model.ts'
import type { Providers } from '../model/registered-providers.ts'
import { isObject } from '../shared/records.ts'
import type { ModelSetting } from './agent-config.ts'

/** The declared models of an agent, in the order in which they are asked. Throws `model-missing` or `model-invalid`. */
export function declaredCandidates(
  setting: ModelSetting | undefined,
  agentId: string,
  providers: Providers | undefined,
): ModelCandidate[] {
  const declared = listOf(setting, agentId)
  if (declared.length === 0) throw missing(agentId)
  return declared.map((choice) => {
    const name = modelName(choice)
    return new Candidate(choice, { requested: name, used: name }, providers)
  })
}

/** The models of an agent where the caller of the run decides; the declared ones if it does not. */
export async function chosenCandidates(
  setting: ModelSetting | undefined,
  choose: ChooseModel,
  request: { agentId: string; path: readonly string[] },
  providers: Providers | undefined,
): Promise<ModelCandidate[]> {
  const declared = listOf(setting, request.agentId)
  const chosen = await choose({ declared, ...request })
  if (chosen === undefined) return declaredCandidates(setting, request.agentId, providers)
  const { use, why } = isObject(chosen) && 'use' in chosen ? chosen : { use: chosen, why: undefined }
  assertModel(use, request.agentId)
  const requested = declared[0] === undefined ? 'none' : modelName(declared[0])
  return [new Candidate(use, { requested, used: modelName(use), ...(why === undefined ? {} : { why }) }, providers)]
}

function listOf(setting: ModelSetting | undefined, agentId: string): readonly ModelChoice[] {
  const list = setting === undefined ? [] : Array.isArray(setting) ? (setting as readonly ModelChoice[]) : [setting]
  for (const choice of list) assertModel(choice, agentId)
  return list as readonly ModelChoice[]
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
class Candidate implements ModelCandidate {
  readonly use: ModelUse
  model: LanguageModel | undefined
  readonly #choice: ModelChoice
  readonly #providers: Providers | undefined

  constructor(choice: ModelChoice, use: ModelUse, providers: Providers | undefined) {
    this.use = use
    this.#choice = choice
    this.#providers = providers
    this.model = typeof choice === 'string' ? undefined : choice
  }

  async make(): Promise<LanguageModel> {
    const choice = this.#choice
    if (this.model) return this.model
    // The table of providers is loaded with the first model that a string names: programs that pass models never need it.
    const { resolveModel } = await import('../model/resolve-model.ts')
    this.model ??= typeof choice === 'string' ? await resolveModel(choice, { providers: this.#providers }) : choice
    return this.model
  }
}
