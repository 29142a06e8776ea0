import type { Usage } from '../events/usage.ts'

/** Prices in US dollars for a million tokens. */
export interface ModelPrice {
  input: number
  output: number
  /** For input that came from the provider's cache. Default: as `input`. */
  cachedInput?: number
  /** The prices of the whole call where its input has more tokens than `above`. */
  longPrompt?: { above: number; input: number; output: number; cachedInput?: number }
}

const FREE: ModelPrice = { input: 0, output: 0 }

function price(input: number, output: number, cachedInput?: number): ModelPrice {
  return cachedInput === undefined ? { input, output } : { input, output, cachedInput }
}

/**
 * What the makers of the models ask for text at the standard speed, by `provider/model`. The figures are those of 2026-11-14, of their
 * public price pages: developers.openai.com/api/docs/pricing, platform.claude.com/docs/en/about-claude/pricing,
 * ai.google.dev/gemini-api/docs/pricing.
 *
 * They serve a budget, which must not count too little: a model that is cheaper for a time stands here with the price that follows.
 * Not counted, since usage does not tell it: what writing to a cache costs above `input`, audio, tools of the provider, faster tiers.
 */
export const PRICES: Readonly<Record<string, ModelPrice>> = {
  'openai/gpt-6.1-sol': { ...price(2, 10, 0.1), longPrompt: { above: 272_000, ...price(4, 15, 0.2) } },
  'openai/gpt-6.1-terra': { ...price(1, 5, 0.05), longPrompt: { above: 272_000, ...price(2, 7.5, 0.1) } },
  'openai/gpt-6-astra': { ...price(10, 50, 1), longPrompt: { above: 272_000, ...price(20, 75, 2) } },
  'openai/gpt-6-sol': { ...price(2, 10, 0.2), longPrompt: { above: 272_000, ...price(4, 15, 0.4) } },
  'openai/gpt-6-luna': { ...price(0.1, 0.5, 0.01), longPrompt: { above: 272_000, ...price(0.2, 0.75, 0.02) } },
  // The lower price of 5.6 Sol (4 / 20 / 0.4) was promised until 2026-11-21 only. Plain 5.6 is Sol.
  'openai/gpt-5.6': { ...price(5, 30, 0.5), longPrompt: { above: 272_000, ...price(10, 45, 1) } },
  'openai/gpt-5.6-sol': { ...price(5, 30, 0.5), longPrompt: { above: 272_000, ...price(10, 45, 1) } },
  'openai/gpt-5.6-terra': { ...price(2, 12, 0.2), longPrompt: { above: 272_000, ...price(4, 18, 0.4) } },
  'openai/gpt-5.6-luna': { ...price(0.2, 1.2, 0.02), longPrompt: { above: 272_000, ...price(0.4, 1.8, 0.04) } },
  'openai/gpt-5.5': { ...price(5, 30, 0.5), longPrompt: { above: 272_000, ...price(10, 45, 1) } },
  'openai/gpt-5.5-pro': { ...price(30, 180), longPrompt: { above: 272_000, ...price(60, 270) } },
  'openai/gpt-5.4': { ...price(2.5, 15, 0.25), longPrompt: { above: 272_000, ...price(5, 22.5, 0.5) } },
  'openai/gpt-5.4-mini': price(0.75, 4.5, 0.075),
  'openai/gpt-5.4-nano': price(0.2, 1.25, 0.02),
  'openai/gpt-5.2': price(1.75, 14, 0.175),
  'openai/gpt-5.1': price(1.25, 10, 0.125),
  // To be shut down soon, and still named in many examples.
  'openai/gpt-5': price(1.25, 10, 0.125),
  'openai/gpt-5-mini': price(0.25, 2, 0.025),
  'openai/gpt-5-nano': price(0.05, 0.4, 0.005),
  'openai/gpt-4.1': price(2, 8, 0.5),
  'openai/gpt-4.1-mini': price(0.4, 1.6, 0.1),
  'openai/gpt-4o': price(2.5, 10, 1.25),
  'openai/gpt-4o-mini': price(0.15, 0.6, 0.075),

  'anthropic/claude-fable-5-2': price(8, 40, 0.2),
  'anthropic/claude-fable-5-1': price(10, 50, 0.25),
  'anthropic/claude-fable-5': price(10, 50, 1),
  'anthropic/claude-opus-5-5': price(4, 20, 0.2),
  'anthropic/claude-opus-5': price(5, 25, 0.5),
  'anthropic/claude-opus-4-8': price(5, 25, 0.5),
  'anthropic/claude-opus-4-7': price(5, 25, 0.5),
  'anthropic/claude-opus-4-6': price(5, 25, 0.5),
  'anthropic/claude-sonnet-5-5': price(2, 10, 0.1),
  'anthropic/claude-sonnet-5': price(2, 10, 0.2),
  'anthropic/claude-sonnet-4-6': price(3, 15, 0.3),
  'anthropic/claude-sonnet-4-5': price(3, 15, 0.3),
  'anthropic/claude-haiku-5-5': { ...price(0.1, 0.5, 0.01), longPrompt: { above: 100_000, ...price(0.5, 2.5, 0.05) } },
  'anthropic/claude-haiku-4-5': price(1, 5, 0.1),

  // Half of these until 2026-11-30.
  'google/gemini-4-argon': price(4, 20, 0.2),
  'google/gemini-4-carbon': price(4, 20, 0.2),
  'google/gemini-4-hydrogen': price(1.5, 7.5, 0.075),
  // Half of these until 2026-12-31.
  'google/gemini-3.8-flash': price(1.5, 7.5, 0.15),
  'google/gemini-3.7-flash': price(1.5, 7.5, 0.15),
  'google/gemini-3.6-flash': price(1.5, 7.5, 0.15),
  'google/gemini-3.5-flash': price(1.5, 9, 0.15),
  'google/gemini-3.5-flash-lite': price(0.3, 2.5, 0.03),
  'google/gemini-3.1-pro-preview': { ...price(2, 12, 0.2), longPrompt: { above: 200_000, ...price(4, 18, 0.4) } },
  'google/gemini-3.1-flash-lite': price(0.25, 1.5, 0.025),
  'google/gemini-3-flash-preview': price(0.5, 3, 0.05),
  'google/gemini-2.5-flash': price(0.3, 2.5, 0.03),
  'google/gemini-2.5-flash-lite': price(0.1, 0.4, 0.01),
}

/**
 * The price of a model that is named `provider/model`, as a string or by a model object (`openai.responses/gpt-5.5`): the user's own
 * first, then the table's; undefined if neither has it. The keys of `own` are `provider/model` or the id of a model alone. A dated or
 * preview version has the price of the model that it is a version of, unless it has its own. Offline models cost nothing.
 */
export function priceOf(model: string, own: Readonly<Record<string, ModelPrice>> | undefined): ModelPrice | undefined {
  const slash = model.indexOf('/')
  const provider = model.slice(0, Math.max(slash, 0)).split('.', 1)[0] ?? ''
  const ids = versionsOf(model.slice(slash + 1))
  const names = ids.map((id) => `${provider}/${id}`)
  const given = own && firstIn(own, [model, ...names.flatMap((name, at) => [name, ids[at] ?? name])])
  return given ?? (provider === 'offline' ? FREE : firstIn(PRICES, names))
}

function firstIn(prices: Readonly<Record<string, ModelPrice>>, names: readonly string[]): ModelPrice | undefined {
  const name = names.find((each) => Object.hasOwn(prices, each))
  return name === undefined ? undefined : prices[name]
}

/** The day of a snapshot, as providers write it: `-2025-08-07`, `-20250929`, and after a preview also `-09-2025` or `-06-17`. */
const DAY = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$|(?<=-preview)-\d{2}-(?:\d{4}|\d{2})$/
const STAGE = /-(?:latest|preview)$/

/** The ids under which a model may be found, the exact one first. Only what names a version is cut off: the rest is the model. */
function versionsOf(id: string): string[] {
  const undated = id.replace(DAY, '')
  return [id, undated, undated.replace(STAGE, '')]
}

/** What the usage of one model call costs in US dollars. Reasoning is part of the output, and cached input part of the input. */
export function costOf(usage: Usage, price: ModelPrice): number {
  const { inputTokens, outputTokens, cachedInputTokens } = usage
  const { longPrompt } = price
  const { input, output, cachedInput = input } = longPrompt && inputTokens > longPrompt.above ? longPrompt : price
  // More from the cache than there was input: that provider counts the two apart, and both are paid for.
  const fresh = cachedInputTokens > inputTokens ? inputTokens : inputTokens - cachedInputTokens
  return (fresh * input + cachedInputTokens * cachedInput + outputTokens * output) / 1_000_000
}
