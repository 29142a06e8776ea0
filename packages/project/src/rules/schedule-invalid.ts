import type { ScheduleFile } from '../discover/agent-dir.ts'
import { FILE_START } from '../discover/line-index.ts'
import type { ScheduleProblem } from '../facts/facts.ts'
import { loadCroner } from '../facts/load-croner.ts'
import { scheduleTextProblems } from '../facts/schedule-problems.ts'
import { propertyPlace } from './places.ts'
import type { Place, Rule, RuleContext } from './rule.ts'

/** B11.2: a schedule that can't run when and as it says. */
export const scheduleInvalid: Rule = {
  code: 'schedule-invalid',
  severity: 'error',
  why: 'nobody is there when a schedule is due, so it must be known before that it can run',
  *check(context) {
    for (const { agent, config } of context.plans) {
      // Beside an Agent nothing runs, and that is told.
      for (const schedule of config === 'agent' ? [] : agent.schedules) {
        for (const problem of problemsOf(context, schedule)) {
          const message = `the schedule "${schedule.key}" ${problem.message}`
          yield { message, place: placeOf(context, schedule, problem), agentPath: agent.path, fix: problem.fix }
        }
      }
    }
  },
}

function problemsOf({ loaded }: RuleContext, { file, text }: ScheduleFile): readonly ScheduleProblem[] {
  const fact = loaded.facts.get(file)
  if (text === undefined) return fact?.kind === 'schedule' ? fact.problems : []
  // Of what can't be read nothing is known, and it has a finding of its own.
  if (text.unread !== undefined || text.head.shape.errors.length > 0) return []
  return scheduleTextProblems(text.head.values, String(text.fields['prompt']), loadCroner)
}

function placeOf(context: RuleContext, { file, text }: ScheduleFile, { field }: ScheduleProblem): Place {
  if (text === undefined) return propertyPlace(context, file, [field], 'value')
  return { file, at: text.head.shape.properties.get(field)?.value ?? text.head.shape.exportAt ?? FILE_START }
}
