import { type AgentDir, mainFile } from '../discover/agent-dir.ts'
import { moduleName } from '../layout.ts'
import type { AgentPlan, PlannedTool } from '../plan.ts'
import { baseName } from '../tree/source-tree.ts'
import { configPlace, exportPlace } from './places.ts'
import type { Place, Rule, RuleContext } from './rule.ts'

/** B11.6 */
export const subagentToolCollision: Rule = {
  code: 'subagent-tool-collision',
  severity: 'error',
  why: 'a subagent is a tool of its parent, called by its key: two tools of one name can not be told apart',
  *check(context) {
    for (const plan of context.plans) {
      const tools = new Map(plan.tools.map((tool) => [tool.key, tool]))
      for (const { key, from } of subagentsOf(plan)) {
        const tool = tools.get(key)
        if (tool === undefined) continue
        yield {
          message: `"${plan.agent.key}" has a subagent and a tool that are both called "${key}": ${from} and ${toolText(tool)}`,
          place: placeOf(context, plan, tool, key),
          agentPath: plan.agent.path,
          fix: isBuiltIn(tool)
            ? `rename the subagent "${key}"`
            : `rename the tool, for example to "${key}_tool", or the subagent`,
        }
      }
    }
  },
}

function subagentsOf({ agent, subagents, coded }: AgentPlan): { key: string; from: string }[] {
  return [
    ...subagents.map(({ key, dir }) => ({ key, from: dir })),
    ...coded.map(({ key }) => ({ key, from: `config.agents in ${agent.config?.file}` })),
  ]
}

/** Whether the framework brings a tool, under a name that nobody can change. */
export function isBuiltIn({ from }: PlannedTool): boolean {
  return from === 'workspace' || from === 'skills'
}

export function toolText({ from, file, key }: PlannedTool): string {
  if (from === 'file') return file
  if (from === 'skills') return 'the built-in tool that loads skills'
  if (from === 'config') return `config.tools.${key} in ${file}`
  const module = moduleName(baseName(file))
  if (module === undefined) return `the built-in tool of "${file}/"`
  return module.base === 'workspace' ? `the tool of "${file}"` : `config.workspace in ${file}`
}

function placeOf(context: RuleContext, { agent, subagents }: AgentPlan, tool: PlannedTool, key: string): Place {
  if (tool.from === 'file') return exportPlace(context, tool.file)
  if (tool.from === 'config') return configPlace(context, agent, ['tools', key], 'key')
  const directory: AgentDir | undefined = subagents.find((subagent) => subagent.key === key)
  return directory === undefined ? configPlace(context, agent, ['agents', key], 'key') : { file: mainFile(directory) }
}
