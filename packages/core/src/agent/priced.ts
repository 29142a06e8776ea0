import { RetinueError } from '../errors/retinue-error.ts'
import type { Budget, BudgetOptions, CostOf } from '../loop/budget.ts'
import { type ModelChoice, modelName } from '../model/language-model.ts'
import { costOf, priceOf } from '../model/prices.ts'
import { isAgent } from './agent.ts'
import type { AgentOptions } from './agent-config.ts'

/** What model calls cost by an application's own prices, and else by the table. */
export function costBy(own: BudgetOptions['prices']): CostOf {
  return (model, usage) => {
    const price = priceOf(model, own)
    return price && costOf(usage, price)
  }
}

/** Throws `price-missing` for a model that nobody knows the price of: a budget in money would not bound it. */
export function assertPriced(agentId: string, models: readonly string[], budget: Budget): void {
  const unknown = models.find((model) => !budget.knowsCostOf(model))
  if (unknown === undefined) return
  throw new RetinueError({
    code: 'price-missing',
    message: `The agent "${agentId}" can run on "${unknown}", whose price is not known, under a budget in US dollars.`,
    hint: `Give the price, in US dollars for a million tokens: budget: { costUsd, prices: { '${unknown}': { input: 1.25, output: 10 } } }`,
    data: { agentId, model: unknown },
  })
}

/** Does so for all agents below that are known before anything runs; those that functions give are checked when they begin. */
export function assertTreePriced({ agents }: AgentOptions, budget: Budget, seen: Set<object> = new Set()): void {
  if (!agents || typeof agents === 'function') return
  for (const target of Object.values(agents)) {
    if (!isAgent(target) || seen.has(target)) continue
    seen.add(target)
    const { id, model } = target.options
    if (model !== undefined && typeof model !== 'function') assertPriced(id, namesOf(model), budget)
    assertTreePriced(target.options, budget, seen)
  }
}

function namesOf(model: ModelChoice | readonly ModelChoice[]): string[] {
  return (Array.isArray(model) ? (model as readonly ModelChoice[]) : [model as ModelChoice]).map(modelName)
}
