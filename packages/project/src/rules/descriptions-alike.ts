import { plansByDir } from '../plan.ts'
import { describedSubagents } from './described.ts'
import type { Rule } from './rule.ts'
import { meaningfulWords } from './words.ts'

/** Of two descriptions, how much of the longer one the shorter one must hold to be the same in other words. */
const ALIKE = 0.75

/** Subagents of one parent that it can't tell apart. */
export const descriptionsAlike: Rule = {
  code: 'descriptions-alike',
  severity: 'warning',
  why: 'the parent chooses by the descriptions: between two that say the same it can only guess',
  *check(context) {
    const byDir = plansByDir(context.plans)
    for (const plan of context.plans) {
      const siblings = describedSubagents(context, plan, byDir).map((subagent) => {
        return { ...subagent, words: meaningfulWords(subagent.description) }
      })
      for (const [index, { key, place, agentPath, words }] of siblings.entries()) {
        const earlier = siblings.slice(0, index).find((other) => areAlike(other.words, words))
        if (earlier === undefined) continue
        yield {
          message: `the descriptions of the subagents "${earlier.key}" and "${key}" say the same`,
          place,
          agentPath,
          why: `"${plan.agent.key}" chooses by the descriptions, and between these two it can only guess`,
          fix: `say in each what the other does not do, or make one agent of "${earlier.key}" and "${key}"`,
        }
      }
    }
  },
}

/**
 * One has no word that the other has not, and all but the whole of it. Where each has a word of its own, that word may be all the
 * difference (`orders in France`, `orders in Japan`), so nothing is said.
 */
function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  if (small.size < large.size * ALIKE) return false
  return small.size > 1 && [...small].every((word) => large.has(word))
}
