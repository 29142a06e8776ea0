import type { Note } from '../discover/agent-dir.ts'
import { type AgentPlan, type Loss, notesOf } from '../plan.ts'
import { applicationAgents } from './application-agents.ts'
import { configPlace, exportPlace, propertyPlace } from './places.ts'
import type { Place, Rule, RuleContext, Violation } from './rule.ts'

/** B11.1, B11.4: every source that loses is told, with both files. */
export const sourceOverridden: Rule = {
  code: 'source-overridden',
  severity: 'warning',
  why: 'of two sources for one thing only one is used, and the other looks as if it counted',
  *check(context) {
    yield* shadowed(context.discovered.notes, [])
    yield* overApplication(context)
    for (const plan of context.plans) {
      const { agent, losses } = plan
      for (const loss of losses) {
        yield {
          message: `${loss.what}: "${winnerText(loss)}" wins over "${loserText(plan, loss)}"`,
          place: placeOf(context, plan, loss),
          agentPath: agent.path,
          fix: `remove one of the two (${winnerText(loss)}, ${loserText(plan, loss)})`,
        }
      }
      yield* shadowed(notesOf(plan), agent.path)
    }
  },
}

/** What the application of `index.ts` says holds over the files beside it. */
function* overApplication(context: RuleContext): Iterable<Violation> {
  const { file, settings } = applicationAgents(context)
  for (const { slot, file: loser } of context.discovered.shared) {
    if (!settings.includes(slot)) continue
    yield {
      message: `${slot}: "${slot} in ${file}" wins over "${loser}"`,
      place: exportPlace(context, loser),
      agentPath: [],
      fix: `remove one of the two (${slot} in ${file}, ${loser})`,
    }
  }
}

function* shadowed(notes: readonly Note[], agentPath: readonly string[]): Iterable<Violation> {
  for (const note of notes) {
    if (note.kind !== 'shadowed') continue
    yield {
      message: `${note.slot}: "${note.winner}" wins over "${note.loser}"`,
      place: { file: note.loser },
      agentPath,
      fix: `remove one of the two (${note.winner}, ${note.loser})`,
    }
  }
}

function winnerText({ winner, property }: Loss): string {
  return property === undefined ? winner : `${property.join('.')} in ${winner}`
}

function loserText({ agent }: AgentPlan, { loser, member, part }: Loss): string {
  if (member !== undefined) return `${member} in ${loser}`
  if (part !== undefined) return `${part.name} of ${loser}`
  return loser === agent.config?.file ? `instructions in ${loser}` : loser
}

/** The loser is what the person looks at and wonders about. */
function placeOf(context: RuleContext, { agent }: AgentPlan, { loser, member, part }: Loss): Place {
  if (member !== undefined) return propertyPlace(context, loser, [member], 'key')
  if (part !== undefined) return { file: loser, at: { line: part.line, column: 1, length: 1 } }
  if (loser === agent.config?.file) return configPlace(context, agent, ['instructions'], 'key')
  return agent.workspace === loser || loser.endsWith('.md') ? { file: loser } : exportPlace(context, loser)
}
