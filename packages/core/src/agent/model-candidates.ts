import { RetinueError } from '../errors/retinue-error.ts'
import type { ModelUse } from '../events/chunk.ts'
import type { ChooseModel, ModelCandidate } from '../loop/run.ts'
import { isLanguageModel, type LanguageModel, type ModelChoice, modelName } from '../model/language-model.ts'
import { resolveModel } from '../model/resolve-model.ts'
import { isObject } from '../shared/records.ts'
import type { ModelSetting } from './agent-config.ts'

/** Models that strings named, made once an agent. */
export type ModelCache = Map<string, LanguageModel>

interface Requester {
  readonly agentId: string
  readonly path: readonly string[]
  readonly chooseModel: ChooseModel | undefined
  readonly cache: ModelCache
}

/** The models that can answer for an agent, in the order in which they are asked. Throws `model-missing` or `model-invalid`. */
export function modelCandidates(setting: ModelSetting | undefined, requester: Requester): ModelCandidate[] {
  const list =
    setting === undefined ? [] : Array.isArray(setting) ? (setting as readonly ModelChoice[]) : [setting as ModelChoice]
  for (const choice of list) assertModel(choice, requester.agentId)
  if (requester.chooseModel) return chosenCandidates(list, requester, requester.chooseModel)
  if (list.length > 0) return list.map((choice) => candidate(choice, requester.cache))
  throw new RetinueError({
    code: 'model-missing',
    message: `The agent "${requester.agentId}" has no model.`,
    hint: "Set `model` in its config, such as model: 'openai/gpt-5.5'. There is no hidden default.",
  })
}

function assertModel(choice: unknown, agentId: string): void {
  if (typeof choice === 'string' || isLanguageModel(choice)) return
  throw new RetinueError({
    code: 'model-invalid',
    message: `The model of the agent "${agentId}" is no model.`,
    hint: "Pass 'provider/model', an AI SDK language model object (specification v2, v3 or v4), or a list of those.",
  })
}

function candidate(choice: ModelChoice, cache: ModelCache): ModelCandidate {
  const name = modelName(choice)
  return new LazyModel(
    { requested: name, used: name },
    typeof choice === 'string' ? cache.get(choice) : choice,
    async () => madeOf(choice, cache),
  )
}

async function madeOf(choice: ModelChoice, cache: ModelCache): Promise<LanguageModel> {
  if (typeof choice !== 'string') return choice
  const made = cache.get(choice) ?? (await resolveModel(choice))
  cache.set(choice, made)
  return made
}

/** One candidate for each declared model, each decided by the caller when it is first needed. */
function chosenCandidates(
  list: readonly ModelChoice[],
  { agentId, path, cache }: Requester,
  choose: ChooseModel,
): ModelCandidate[] {
  const declared: (ModelChoice | undefined)[] = list.length > 0 ? [...list] : [undefined]
  return declared.map((choice) => {
    const requested = choice === undefined ? 'none' : modelName(choice)
    const lazy: LazyModel = new LazyModel({ requested, used: requested }, undefined, async () => {
      const chosen = (await choose({ declared: choice, agentId, path })) ?? choice
      if (chosen === undefined)
        throw new RetinueError({
          code: 'model-missing',
          message: `The agent "${agentId}" has no model.`,
          hint: 'Set `model` in its config.',
        })
      const withWhy =
        isObject(chosen) && 'model' in chosen && 'why' in chosen
          ? (chosen as { model: ModelChoice; why: string })
          : undefined
      const model = withWhy ? withWhy.model : (chosen as ModelChoice)
      assertModel(model, agentId)
      lazy.use = { requested, used: modelName(model), ...(withWhy ? { why: withWhy.why } : {}) }
      return madeOf(model, cache)
    })
    return lazy
  })
}

class LazyModel implements ModelCandidate {
  use: ModelUse
  model: LanguageModel | undefined
  readonly #make: () => Promise<LanguageModel>

  constructor(use: ModelUse, model: LanguageModel | undefined, make: () => Promise<LanguageModel>) {
    this.use = use
    this.model = model
    this.#make = make
  }

  async make(): Promise<LanguageModel> {
    this.model ??= await this.#make()
    return this.model
  }
}
