import { type ChooseModel, resolveModel } from '@retinue/core'

/** Which model answers in this session: the one that was picked here, else what the command line, the environment and the configs say. */
export class SessionModel {
  readonly choose: ChooseModel
  readonly #named: (name: string) => ChooseModel
  #picked: ChooseModel | undefined

  /** `named` decides as if a model of that name had been asked for on the command line. */
  constructor(configured: ChooseModel, named: (name: string) => ChooseModel) {
    this.#named = named
    this.choose = (request) => (this.#picked ?? configured)(request)
  }

  /** Lets a model answer for every agent from now on. Throws, and changes nothing, if it can't be made. */
  async pick(name: string): Promise<void> {
    const choose = this.#named(name)
    await assertUsable(choose)
    this.#picked = async (request) => {
      const chosen = await choose(request)
      return isReasoned(chosen) ? { use: chosen.use, why: '/model picked it' } : chosen
    }
  }

  /** Goes back to the model of before. */
  reset(): void {
    this.#picked = undefined
  }
}

type Chosen = Awaited<ReturnType<ChooseModel>>

/** Throws if a model that a person has named can't be made. */
export async function assertUsable(choose: ChooseModel): Promise<void> {
  const chosen = await choose({ declared: [], agentId: '', path: [] })
  const model = isReasoned(chosen) ? chosen.use : chosen
  if (typeof model === 'string') await resolveModel(model)
}

function isReasoned(chosen: Chosen): chosen is Extract<Chosen, { why: string }> {
  return typeof chosen === 'object' && 'why' in chosen
}
