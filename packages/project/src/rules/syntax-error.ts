import type { SlotModule } from '../discover/agent-dir.ts'
import type { ModuleIndex } from '../discover/module-index.ts'
import { moduleName } from '../layout.ts'
import type { Rule, Violation } from './rule.ts'

/** B11.11: a file that does not parse is told with its place, and the others are still checked. */
export const syntaxError: Rule = {
  code: 'syntax-error',
  severity: 'error',
  why: 'a module that does not parse can not be loaded, and neither can what imports it',
  *check({ plans, discovered: { modules, shared } }) {
    yield* violations(modules, shared, [])
    for (const { agent, modules: own } of plans)
      yield* violations(modules, [...(agent.config ? [agent.config] : []), ...own], agent.path)
  },
}

function* violations(
  modules: ModuleIndex,
  own: readonly SlotModule[],
  agentPath: readonly string[],
): Iterable<Violation> {
  for (const file of modules.closure(own.map(({ file }) => file))) {
    if (moduleName(file) === undefined) continue
    // The first error is the one to mend: those after it mostly follow from it.
    const [first] = modules.shape(file)?.errors ?? []
    if (first === undefined) continue
    yield {
      message: first.message,
      place: { file, at: first.at },
      agentPath,
      fix: 'correct the syntax at this place; what is missing may stand earlier',
    }
  }
}
