import { noUsage, type Usage } from '../events/usage.ts'
import type { ModelPrice } from '../model/prices.ts'
import { assertNever } from '../shared/assert-never.ts'

/** Bounds on what a run and everything that it delegates to may use together. */
export interface BudgetOptions {
  /** Tokens of all model calls, input and output. What a provider does not report is estimated from the length of the texts. */
  tokens?: number
  /** US dollars for all model calls, by `prices` and the table of this package. What remote targets cost is not known, and not counted. */
  costUsd?: number
  /** Milliseconds from the start of the run. */
  durationMs?: number
  /** Delegations that were begun. Default for the run that the application starts: 1,000. */
  delegations?: number
  /** Tool calls that were begun; a delegation is one too. */
  toolCalls?: number
  /** Prices in US dollars for a million tokens, by `provider/model`: for models that the table does not have, or other prices. */
  prices?: Readonly<Record<string, ModelPrice>>
}

/** What a budget can bound. */
export type BudgetLimit = Exclude<keyof BudgetOptions, 'prices'>

/** A limit that is used up, and whether it is the run's own or that of a run above it. */
export interface Shortage {
  readonly limit: BudgetLimit
  readonly own: boolean
  /** The run whose budget it is. */
  readonly ownerRunId: string
  /** What of the limit is used, in words. */
  readonly used: string
}

/** What a model call costs in US dollars; undefined for a model whose price is not known. */
export type CostOf = (model: string, usage: Usage) => number | undefined

/** What each kind of call uses: a limit that is used up keeps those from starting that use it, and no others. */
export const MODEL_CALL = ['tokens', 'costUsd', 'durationMs'] as const
export const TOOL_CALL = ['toolCalls', 'durationMs'] as const
export const DELEGATION = ['delegations', 'tokens', 'costUsd', 'durationMs'] as const

/** What of a budget is used, as plain data. Time that a run waits for a person is not counted. */
export interface SavedBudget {
  readonly tokens: number
  readonly costUsd: number
  readonly delegations: number
  readonly toolCalls: number
  readonly elapsedMs: number
}

/** The share of a limit from which on models are told to come to an end. */
const NEARLY = 0.8

/**
 * What a run and all below it may use, and what they have used. A budget inside another one is bound by both. Calls that began are
 * let end, so what is used in the end can be more by the calls that were under way.
 */
export class Budget {
  readonly #runId: string
  readonly #limits: BudgetOptions
  readonly #outer: Budget | undefined
  readonly #costOf: CostOf | undefined
  readonly #now: () => number
  #begun: number
  #tokens = 0
  #costUsd = 0
  #delegations = 0
  #toolCalls = 0
  /** Whether anybody wants to know what model calls use. */
  readonly metered: boolean

  constructor(runId: string, limits: BudgetOptions, now: () => number, outer?: Budget, costOf?: CostOf) {
    this.#runId = runId
    this.#limits = limits
    this.#now = now
    this.#begun = limits.durationMs === undefined ? 0 : now()
    this.#outer = outer
    this.#costOf = costOf
    this.metered = limits.tokens !== undefined || limits.costUsd !== undefined || outer?.metered === true
  }

  /** Whether some budget that binds here is in money: then every model needs a price. */
  get inMoney(): boolean {
    return this.#costOf !== undefined || this.#outer?.inMoney === true
  }

  /** Whether every budget in money that binds here has a price for a model. */
  knowsCostOf(model: string): boolean {
    if (this.#costOf && this.#costOf(model, noUsage()) === undefined) return false
    return this.#outer?.knowsCostOf(model) ?? true
  }

  /** The limit that keeps a call of a run from starting. The outermost one counts: it ends all that is inside. */
  shortage(runId: string, needs: readonly BudgetLimit[]): Shortage | undefined {
    const outer = this.#outer?.shortage(runId, needs)
    if (outer) return outer
    const limit = this.#firstAt(1, needs)
    return limit && { limit, own: this.#runId === runId, ownerRunId: this.#runId, used: this.#words(limit) }
  }

  /** Counts a call that begins; the limit that keeps it from beginning, if one does. */
  take(runId: string, counted: 'delegations' | 'toolCalls', needs: readonly BudgetLimit[]): Shortage | undefined {
    const short = this.shortage(runId, needs)
    if (short) return short
    for (let budget: Budget | undefined = this; budget; budget = budget.#outer) {
      if (counted === 'delegations') budget.#delegations += 1
      else budget.#toolCalls += 1
    }
    return undefined
  }

  /** What is used of the budget itself; undefined if it is that of a run above. */
  saved(runId: string): SavedBudget | undefined {
    if (this.#runId !== runId) return undefined
    const elapsedMs = this.#limits.durationMs === undefined ? 0 : this.#now() - this.#begun
    const [tokens, costUsd, delegations, toolCalls] = [this.#tokens, this.#costUsd, this.#delegations, this.#toolCalls]
    return { tokens, costUsd, delegations, toolCalls, elapsedMs }
  }

  /** Goes on from what was used before. */
  restore({ tokens, costUsd, delegations, toolCalls, elapsedMs }: SavedBudget): void {
    this.#tokens = tokens
    this.#costUsd = costUsd
    this.#delegations = delegations
    this.#toolCalls = toolCalls
    if (this.#limits.durationMs !== undefined) this.#begun = this.#now() - elapsedMs
  }

  /** Takes down what a model call used, once it has ended. */
  spend(model: string, usage: Usage): void {
    for (let budget: Budget | undefined = this; budget; budget = budget.#outer) {
      budget.#tokens += usage.totalTokens
      budget.#costUsd += budget.#costOf?.(model, usage) ?? 0
    }
  }

  /** The limit that is nearly used up, in words. */
  nearly(): string | undefined {
    const limit = this.#firstAt(NEARLY, LIMITS)
    return limit ? this.#words(limit) : this.#outer?.nearly()
  }

  /** The first limit of which that share is used. By index: it is asked before each call of every run, and leaves nothing behind. */
  #firstAt(share: number, limits: readonly BudgetLimit[]): BudgetLimit | undefined {
    for (let index = 0; index < limits.length; index++) {
      const limit = limits[index] as BudgetLimit
      if (this.#share(limit) >= share) return limit
    }
    return undefined
  }

  #share(limit: BudgetLimit): number {
    const most = this.#limits[limit]
    if (most === undefined) return 0
    return most === 0 ? 1 : this.#used(limit) / most
  }

  #used(limit: BudgetLimit): number {
    switch (limit) {
      case 'tokens':
        return this.#tokens
      case 'costUsd':
        return this.#costUsd
      case 'durationMs':
        return this.#now() - this.#begun
      case 'delegations':
        return this.#delegations
      case 'toolCalls':
        return this.#toolCalls
      default:
        return assertNever(limit, 'limit')
    }
  }

  #words(limit: BudgetLimit): string {
    return WORDS[limit](this.#used(limit), this.#limits[limit] ?? 0)
  }
}

const LIMITS: readonly BudgetLimit[] = ['tokens', 'costUsd', 'durationMs', 'delegations', 'toolCalls']

const WORDS: Readonly<Record<BudgetLimit, (used: number, most: number) => string>> = {
  tokens: (used, most) => `${used} of ${most} tokens`,
  costUsd: (used, most) => `$${dollars(used)} of $${dollars(most)}`,
  durationMs: (used, most) => `${used} of ${most} ms`,
  delegations: (used, most) => `${used} of ${most} delegations`,
  toolCalls: (used, most) => `${used} of ${most} tool calls`,
}

/** As many digits as tell something: fractions of a cent are usual. */
function dollars(amount: number): string {
  return String(Number(amount.toPrecision(3)))
}
