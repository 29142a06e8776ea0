import { Budget, type BudgetOptions } from '../loop/budget.ts'
import { defined } from '../shared/records.ts'
import type { AgentOptions } from './agent-config.ts'
import { directEffects } from './direct-effects.ts'
import type { RunOptions } from './run-options.ts'

/** No runaway of a whole tree goes on for ever. */
const DEFAULT_LIMITS: BudgetOptions = { delegations: 1000 }

/** The budget of a run: its own, inside that of the run above it. At once where it is not in money. */
export function openBudget(
  agent: AgentOptions,
  options: RunOptions,
  runId: string,
  outer: Budget | undefined,
): Budget | Promise<Budget> {
  if (!agent.budget && !options.budget) return outer ?? new Budget(runId, DEFAULT_LIMITS, directEffects.now)
  const limits = mergedLimits(outer ? [] : [DEFAULT_LIMITS], agent.budget, options.budget)
  if (limits.costUsd === undefined) return new Budget(runId, limits, directEffects.now, outer)
  // The table of prices is loaded with the first budget in money.
  return import('./priced.ts').then(
    ({ costBy }) => new Budget(runId, limits, directEffects.now, outer, costBy(limits.prices)),
  )
}

/** Limit by limit, the later ones over the earlier. */
function mergedLimits(defaults: readonly BudgetOptions[], ...budgets: (BudgetOptions | undefined)[]): BudgetOptions {
  return Object.assign({}, ...[...defaults, ...budgets].map((budget) => defined(budget ?? {}))) as BudgetOptions
}
