import { exportPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.10: a hook beside the default export is as good as none. */
export const hookExportIgnored: Rule = {
  code: 'hook-export-ignored',
  severity: 'warning',
  why: 'hooks are members of the default export: an export of its own looks as if it counted',
  *check(context) {
    for (const { agent } of context.plans) {
      if (agent.hooks === undefined) continue
      const { file } = agent.hooks
      const fact = context.loaded.facts.get(file)
      for (const name of fact?.kind === 'hooks' ? fact.named : []) {
        yield {
          message: `the export "${name}" of "${file}" is ignored: it is no member of the default export`,
          place: exportPlace(context, file),
          agentPath: agent.path,
          fix: `write: export default { …, ${name} }`,
        }
      }
    }
  },
}
