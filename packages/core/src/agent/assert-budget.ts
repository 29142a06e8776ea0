import { optionInvalid, optionUnknown } from '../errors/option-errors.ts'
import type { BudgetLimit } from '../loop/budget.ts'
import { isObject } from '../shared/records.ts'

/** What a limit can be. Nothing can be done with no tokens, money or time; to allow no delegation or tool call makes sense. */
const LIMITS: Readonly<Record<BudgetLimit, { fits: (value: unknown) => boolean; expected: string }>> = {
  tokens: { fits: isPositive, expected: 'a number above 0' },
  costUsd: { fits: isPositive, expected: 'a number above 0' },
  durationMs: { fits: isPositive, expected: 'a number above 0' },
  delegations: { fits: isCount, expected: 'a whole number of 0 or more' },
  toolCalls: { fits: isCount, expected: 'a whole number of 0 or more' },
}

/** Throws `option-unknown` or `option-invalid` for a budget that bounds nothing. `what`: whose it is. */
export function assertBudget(budget: unknown, what: string): void {
  if (budget === undefined) return
  if (!isObject(budget)) throw optionInvalid(`${what} is no object.`, 'budget: { tokens: 100_000, delegations: 20 }')
  for (const [name, value] of Object.entries(budget)) {
    if (name === 'prices') assertPrices(value, what)
    else assertLimit(name, value, what)
  }
}

function assertLimit(name: string, value: unknown, what: string): void {
  const limit = Object.hasOwn(LIMITS, name) ? LIMITS[name as BudgetLimit] : undefined
  if (!limit)
    throw optionUnknown(
      `${what} has a limit that is not known: ${name}.`,
      [...Object.keys(LIMITS), 'and prices'],
      [name],
    )
  if (value !== undefined && !limit.fits(value))
    throw optionInvalid(`${what} has ${name}: ${String(value)}.`, `It must be ${limit.expected}.`)
}

function assertPrices(prices: unknown, what: string): void {
  if (prices === undefined) return
  if (!isObject(prices)) throw optionInvalid(`${what} has prices that are no object.`, PRICES)
  for (const [model, price] of Object.entries(prices)) {
    if (!isPrice(price)) throw optionInvalid(`${what} has a price of "${model}" that is none.`, PRICES)
  }
}

function isPrice(price: unknown): boolean {
  if (!isObject(price)) return false
  const { longPrompt, ...base } = price
  if (longPrompt === undefined) return isPlainPrice(base)
  if (!isObject(longPrompt)) return false
  const { above, ...long } = longPrompt
  return isPlainPrice(base) && isPlainPrice(long) && isNumber(above) && above >= 0
}

function isPlainPrice({ input, output, cachedInput = 0, ...rest }: Record<string, unknown>): boolean {
  const amounts = [input, output, cachedInput]
  return Object.keys(rest).length === 0 && amounts.every((amount) => isNumber(amount) && amount >= 0)
}

const PRICES = "prices: { 'provider/model': { input: 1.25, output: 10 } }, in US dollars for a million tokens."

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isPositive(value: unknown): boolean {
  return isNumber(value) && value > 0
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0
}
