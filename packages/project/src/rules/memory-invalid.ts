import { portViolation } from './ports.ts'
import type { Rule } from './rule.ts'

const FIX =
  'write: export default new Memory(), of @retinue/memory; options are its argument: new Memory({ options: { lastMessages: 20 } })'

/** B11.2, B6.1: what is no memory can't be opened for a run. */
export const memoryInvalid: Rule = {
  code: 'memory-invalid',
  severity: 'error',
  why: 'a run opens its memory and keeps the conversation with it: the agent could not be made with anything else',
  *check(context) {
    for (const module of context.discovered.shared)
      if (module.slot === 'memory') yield* portViolation(context, module, [], FIX)
    for (const { agent, memory } of context.plans)
      if (memory !== undefined) yield* portViolation(context, memory, agent.path, FIX)
  },
}
