import { plansByDir } from '../plan.ts'
import { type Described, describedSubagents } from './described.ts'
import type { Rule } from './rule.ts'
import { meaningfulWords, wordsOfName } from './words.ts'

/** A description is there and says nothing. */
export const descriptionVague: Rule = {
  code: 'description-vague',
  severity: 'warning',
  why: 'the description is all that the parent knows of a subagent when it decides whom to ask',
  *check(context) {
    const byDir = plansByDir(context.plans)
    for (const plan of context.plans) {
      for (const subagent of describedSubagents(context, plan, byDir)) {
        const problem = problemOf(subagent)
        if (problem === undefined) continue
        yield {
          message: `the description of subagent "${subagent.key}" says nothing: ${problem}`,
          place: subagent.place,
          agentPath: subagent.agentPath,
          why: `"${plan.agent.key}" knows nothing else of it when it decides whom to ask`,
          fix: "say what it does, and when to ask it: description: 'Use to …'",
        }
      }
    }
  },
}

/** A mark of work to be done, alone or before a note to oneself; not the first word of `TODO lists`. */
const PLACEHOLDER =
  /^\W*(?:TODO|FIXME|TBD|XXX)(?:\s*(?:$|[^\w\s])|\s+(?:write|describe|add|fill))|^\W*(?:todo|lorem ipsum\b.*)\W*$/i

function problemOf({ description, names }: Described): string | undefined {
  const text = description.trim()
  if (PLACEHOLDER.test(text)) return 'it is a placeholder'
  const words = meaningfulWords(text)
  if (words.size === 0) return 'it does not say what the agent does'
  const own = new Set(names.flatMap((name) => [...wordsOfName(name)]))
  if ([...words].every((word) => own.has(word))) return 'it repeats the name'
  return words.size === 1 ? 'it is one word' : undefined
}
