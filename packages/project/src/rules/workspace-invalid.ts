import { isAbsolute } from 'node:path'
import { didYouMean } from '../names.ts'
import type { AgentPlan } from '../plan.ts'
import { normalizePath } from '../tree/source-tree.ts'
import type { SettingsProblem } from '../workspace/settings-problems.ts'
import { propertyPlace } from './places.ts'
import type { Rule, RuleContext } from './rule.ts'

/** B11.9: settings that mean nothing, or that would have the agent write where it must not. */
export const workspaceInvalid: Rule = {
  code: 'workspace-invalid',
  severity: 'error',
  why: 'the agent would be made without the workspace that was meant, or with one that can do more',
  *check(context) {
    for (const plan of context.plans) {
      const file = plan.workspace?.module?.file
      if (file === undefined) continue
      for (const { path, message, fix, unknown } of problemsOf(context, plan, file)) {
        const meant = unknown && didYouMean(unknown.name, unknown.known)
        // A name that is not known is the key itself, but in a list of names.
        const part = unknown !== undefined && path.at(-1) === unknown.name ? 'key' : 'value'
        yield {
          message,
          place: propertyPlace(context, file, path, part),
          agentPath: plan.agent.path,
          fix: meant === undefined ? fix : `did you mean "${meant}"? ${fix}`,
        }
      }
    }
  },
}

function problemsOf({ loaded, discovered }: RuleContext, plan: AgentPlan, file: string): readonly SettingsProblem[] {
  const fact = loaded.facts.get(file)
  if (fact?.kind !== 'workspace') return []
  const { application } = discovered
  const root = fact.root === undefined || isAbsolute(fact.root) ? undefined : normalizePath(fact.root)
  if (fact.readOnly || root === undefined || !application.ok || !`${root}/`.startsWith(`${application.dir}/`)) {
    return fact.problems
  }
  const message = `root is a folder of the application's sources: what the agent writes would be among them`
  const fix = `write another folder, add readOnly: true, or leave root out and put the files into "${plan.agent.dir}/workspace/"`
  return [...fact.problems, { path: ['root'], message, fix }]
}
