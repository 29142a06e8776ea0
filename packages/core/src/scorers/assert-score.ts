import { RetinueError } from '../errors/retinue-error.ts'

/**
 * The score that a scorer gave. Throws `scorer-score-invalid` for what is no finite number: a judge that failed must not be mistaken
 * for an answer that is worth nothing.
 */
export function assertScore(score: unknown, scorer: string): number {
  if (typeof score === 'number' && Number.isFinite(score)) return score
  throw new RetinueError({
    code: 'scorer-score-invalid',
    message: `The scorer "${scorer}" gave ${named(score)}, which is no score.`,
    hint: 'Return a finite number from generateScore: 1 passes.',
    data: { scorer },
  })
}

/** What a value is, without its content: it may be a whole answer. */
function named(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number') return String(value)
  if (typeof value === 'string') return 'a text'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
