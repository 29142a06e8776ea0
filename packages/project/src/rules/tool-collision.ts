import type { PlannedTool } from '../plan.ts'
import { configPlace, exportPlace } from './places.ts'
import type { Rule } from './rule.ts'
import { isBuiltIn, toolText } from './subagent-tool-collision.ts'

/** B1.5: a built-in tool's name is taken. */
export const toolCollision: Rule = {
  code: 'tool-collision',
  severity: 'error',
  why: 'a model calls a tool by its name: two tools of one name can not be told apart',
  *check(context) {
    for (const { agent, tools } of context.plans) {
      const builtIn = new Map(tools.filter(isBuiltIn).map((tool) => [tool.key, toolText(tool)]))
      for (const tool of tools.filter((own) => !isBuiltIn(own))) {
        const taken = builtIn.get(tool.key)
        if (taken === undefined) continue
        yield {
          message: `the tool "${tool.key}" (${toolText(tool)}) has the name of ${taken}`,
          place:
            tool.from === 'file'
              ? exportPlace(context, tool.file)
              : configPlace(context, agent, ['tools', tool.key], 'key'),
          agentPath: agent.path,
          fix: `rename it, for example to "${otherName(tool)}"`,
        }
      }
    }
  },
}

function otherName({ key }: PlannedTool): string {
  return `my_${key}`.slice(0, 64)
}
