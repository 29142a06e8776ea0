import { expect, test } from 'vitest'
import { noUsage, type Usage } from '../events/usage.ts'
import { costOf, type ModelPrice, PRICES, priceOf } from './prices.ts'

const usage = (counts: Partial<Usage>): Usage => ({ ...noUsage(), ...counts })

test('B2.10 the table names known providers only, and every price in it is usable', () => {
  for (const [name, { input, output, cachedInput }] of Object.entries(PRICES)) {
    expect(name).toMatch(/^(?:openai|anthropic|google)\/[a-z0-9.-]+$/)
    expect(input, name).toBeGreaterThan(0)
    expect(output, name).toBeGreaterThan(input)
    expect(cachedInput ?? input, name).toBeLessThanOrEqual(input)
    expect(cachedInput ?? input, name).toBeGreaterThan(0)
  }
})

test('B2.10 every model of the table is found by its own name, also below an API of its provider', () => {
  for (const [name, price] of Object.entries(PRICES)) {
    expect(priceOf(name, undefined), name).toBe(price)
    expect(priceOf(name.replace('/', '.responses/'), undefined), name).toBe(price)
  }
})

test('B2.10 a long prompt has its own price; where a lower price ends, the one that follows counts', () => {
  const price = priceOf('openai/gpt-5.5', undefined)
  expect(price).toMatchObject({ input: 5, output: 30, longPrompt: { above: 272_000, input: 10, output: 45 } })
  const cost = (inputTokens: number) => price && costOf({ ...noUsage(), inputTokens, outputTokens: 1000 }, price)
  expect(cost(272_000)).toBeCloseTo(1.36 + 0.03)
  expect(cost(272_001)).toBeCloseTo(2.72 + 0.045)
  expect(priceOf('google/gemini-4-argon', undefined)).toMatchObject({ input: 4, output: 20 })
})

test('B2.10 the user’s own price comes before the table’s, under any name of the model', () => {
  const mine: ModelPrice = { input: 1, output: 2 }
  const model = 'openai.responses/gpt-5-mini-2025-08-07'
  for (const key of [
    model,
    'openai/gpt-5-mini-2025-08-07',
    'gpt-5-mini-2025-08-07',
    'openai/gpt-5-mini',
    'gpt-5-mini',
  ]) {
    expect(priceOf(model, { [key]: mine }), key).toBe(mine)
  }
  expect(priceOf('gpt-5-mini', { 'gpt-5-mini': mine })).toBe(mine)
  expect(priceOf('custom/house', { 'custom/house': mine })).toBe(mine)
  expect(priceOf(model, { 'anthropic/gpt-5-mini': mine, 'gpt-5': mine })).toBe(PRICES['openai/gpt-5-mini'])
})

test('B2.10 of the user’s own prices the nearest name counts', () => {
  const price = (input: number): ModelPrice => ({ input, output: 9 })
  const own = { 'gpt-5-mini': price(1), 'openai/gpt-5-mini': price(2), 'gpt-5-mini-2025-08-07': price(3) }
  expect(priceOf('openai/gpt-5-mini-2025-08-07', own)?.input).toBe(3)
  expect(priceOf('openai.chat/gpt-5-mini', own)?.input).toBe(2)
  expect(priceOf('azure/gpt-5-mini', own)?.input).toBe(1)
})

test('B2.10 own prices may be an object without a prototype, and what a prototype holds is none', () => {
  const bare: Record<string, ModelPrice> = Object.create(null)
  bare['house'] = { input: 1, output: 2 }
  expect(priceOf('custom/house', bare)).toBe(bare['house'])
  expect(priceOf('custom/house', Object.create(bare))).toBeUndefined()
  expect(priceOf('custom/constructor', {})).toBeUndefined()
})

test('B2.10 offline models cost nothing, unless the user says what they cost', () => {
  const price = priceOf('offline/anything', undefined)
  expect(price).toBeDefined()
  expect(price && costOf(usage({ inputTokens: 1e9, outputTokens: 1e9, cachedInputTokens: 5 }), price)).toBe(0)
  expect(priceOf('offline/anything', { 'offline/anything': { input: 1, output: 2 } })?.output).toBe(2)
  expect(priceOf('offlines/anything', undefined)).toBeUndefined()
})

test('B2.10 a cost is by the million; cached input is part of the input, and reasoning part of the output', () => {
  const price = { input: 2, output: 10, cachedInput: 0.5 }
  expect(costOf(noUsage(), price)).toBe(0)
  expect(costOf(usage({ inputTokens: 1_000_000 }), price)).toBe(2)
  expect(costOf(usage({ outputTokens: 1_000_000, reasoningTokens: 900_000, totalTokens: 1_000_000 }), price)).toBe(10)
  expect(costOf(usage({ inputTokens: 1_000_000, cachedInputTokens: 400_000 }), price)).toBeCloseTo(1.4, 12)
  expect(costOf(usage({ inputTokens: 1234, outputTokens: 56, cachedInputTokens: 234 }), price)).toBeCloseTo(
    0.002_677,
    12,
  )
})

test('B2.10 cached input costs as much as other input if its price is not given; a price of 0 is given', () => {
  const counted = usage({ inputTokens: 1_000_000, cachedInputTokens: 400_000 })
  expect(costOf(counted, { input: 2, output: 10 })).toBe(2)
  expect(costOf(counted, { input: 2, output: 10, cachedInput: 0 })).toBeCloseTo(1.2, 12)
})

test('B2.10 where more input came from the cache than there was input, both are paid for', () => {
  const counted = usage({ inputTokens: 100_000, cachedInputTokens: 1_000_000, outputTokens: 100 })
  expect(costOf(counted, { input: 2, output: 10, cachedInput: 0.5 })).toBeCloseTo(0.701, 12)
})
