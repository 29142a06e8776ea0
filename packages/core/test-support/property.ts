import { Random, seedOf } from './random.ts'

/**
 * Something that must hold for whatever a seed makes. `npm test` checks a few cases of a fixed seed (`holds`), `npm run test:deep`
 * many of a new one (`deep`).
 */
export interface Property {
  /** The rule that it proves, such as `R08`. */
  readonly name: string
  /** What a case is, in the plural: `streams`. */
  readonly unit: string
  /** How long a case may take, in milliseconds. Default: a minute. */
  readonly limitMs?: number
  /** Makes a case of the random numbers and checks it; throws where it does not hold. All that is random comes from `random`. */
  check(random: Random, tally: Tally): Promise<void>
}

/** Counts what kinds of cases there were, so that a property that no longer meets the hard ones is noticed. */
export type Tally = (kind: string, count?: number) => void

export interface Cases {
  readonly seed: number
  readonly count: number
  /** The one case to check, by its number from 0. Default: all. */
  readonly only?: number
}

/** A case that has not ended by then hangs: without a limit nobody would learn which it is. */
const HUNG_AFTER_MS = 60_000

/** Checks the cases of a seed one after the other, and counts their kinds. The error of one that fails says how to replay it alone. */
export async function holds(property: Property, { seed, count, only }: Cases): Promise<Record<string, number>> {
  const kinds: Record<string, number> = {}
  const tally: Tally = (kind, more = 1) => {
    kinds[kind] = (kinds[kind] ?? 0) + more
  }
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', onUnhandled)
  try {
    for (let index = only ?? 0; index < (only === undefined ? count : only + 1); index++) {
      try {
        await inTime(() => property.check(new Random(seedOf(`${seed} ${index}`)), tally), property.limitMs)
        // A rejection that nobody handles is told when the microtasks of its case have run.
        if (index % 20 === 0 || index === count - 1) await new Promise((resolve) => setImmediate(resolve))
        if (unhandled.length > 0)
          throw new Error('a promise was rejected and nobody handled it', { cause: unhandled[0] })
      } catch (error) {
        throw failed(property, seed, index, error)
      }
    }
    return kinds
  } finally {
    process.off('unhandledRejection', onUnhandled)
  }
}

function failed({ name }: Property, seed: number, index: number, cause: unknown): Error {
  const said = cause instanceof Error ? cause.message : String(cause)
  const replay = `SEED=${seed} CASE=${index} npm run test:deep -- -t ${name}`
  return new Error(`${name} does not hold for case ${index} of seed ${seed}: ${said}\nReplay it alone: ${replay}`, {
    cause,
  })
}

/** The clock is set before the case begins: a case may stand in for it. */
async function inTime(check: () => Promise<void>, limitMs: number = HUNG_AFTER_MS): Promise<void> {
  const hung = Promise.withResolvers<never>()
  const timer = setTimeout(() => hung.reject(new Error('it hangs')), limitMs)
  try {
    await Promise.race([check(), hung.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** `check`, where a difference is worth no more than a sentence: `expect` would take most of the time of a long run. */
export function assert(truth: boolean, otherwise: () => string): asserts truth {
  if (!truth) throw new Error(otherwise())
}
