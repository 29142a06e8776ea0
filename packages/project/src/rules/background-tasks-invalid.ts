import { propertyPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B9.1, B11.2: what core does not take. */
export const backgroundTasksInvalid: Rule = {
  code: 'background-tasks-invalid',
  severity: 'error',
  why: 'the application is made with what backgroundTasks.ts exports: a wrong setting would keep it from being made',
  *check(context) {
    for (const { slot, file } of context.discovered.shared) {
      const fact = slot === 'backgroundTasks' ? context.loaded.facts.get(file) : undefined
      if (fact?.kind !== 'background-tasks') continue
      for (const { message, hint = 'correct the option', option = '' } of fact.refusals)
        yield { message, place: propertyPlace(context, file, [option], 'value'), agentPath: [], fix: hint }
    }
  },
}
