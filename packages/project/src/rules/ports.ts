import type { SlotModule } from '../discover/agent-dir.ts'
import { baseName } from '../tree/source-tree.ts'
import { exportPlace, quoteAll } from './places.ts'
import type { RuleContext, Violation } from './rule.ts'

/** The default export of a module in a slot for a memory, a storage or a logger, if it lacks what makes it one. */
export function portViolation(
  context: RuleContext,
  { file, slot }: SlotModule,
  agentPath: readonly string[],
  fix: string,
): Violation[] {
  const fact = context.loaded.facts.get(file)
  if (fact?.kind !== 'memory' && fact?.kind !== 'storage' && fact?.kind !== 'logger') return []
  if (fact.missing.length === 0) return []
  const name = baseName(file)
  const message = `"${name}" exports an object that is no ${slot}: it has no ${quoteAll(fact.missing)}`
  return [{ message, place: exportPlace(context, file), agentPath, fix }]
}
