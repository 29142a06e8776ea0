import { assertCheckOptions, type Check, type CheckOptions, createCheck, idOf, textsOf } from './create-check.ts'
import { toolCallsOf } from './run-data.ts'
import { quoted } from './words.ts'

/** The agent called none of these tools itself, whether or not such a call would have run. Its subagents' calls are not counted. */
export function didNotCall(name: string | readonly string[], options: CheckOptions = {}): Check {
  assertCheckOptions('didNotCall', options, [])
  const names = textsOf('didNotCall', name)
  const id = idOf('did-not-call', options, ...names)
  return createCheck({
    id,
    description: `None of these tools was called: ${quoted(names)}.`,
    look(run) {
      const calls = toolCallsOf(run, id)
      const called = names.filter((each) => calls.some(({ toolName }) => toolName === each))
      return called.length === 0
        ? { ok: true, reason: `There was no call of ${quoted(names)}.` }
        : { ok: false, reason: `There was a call of ${quoted(called)}, and there must be none.` }
    },
  })
}
