import type { AgentBlueprint, ProjectBlueprint, SkillBlueprint, WorkspaceBlueprint } from './blueprint.ts'
import { type AgentDir, isConfiguredByAgentFile, isTopLevel, type SlotModule } from './discover/agent-dir.ts'
import { moduleName } from './layout.ts'
import { type AgentPlan, type PlannedSkill, type PlannedWorkspace, plansByDir } from './plan.ts'
import { baseName } from './tree/source-tree.ts'

/** What an `agent.md` says in its frontmatter, by the file. */
export type FrontmatterOf = (file: string) => Readonly<Record<string, unknown>>

/** Writes down what faultless plans come to. It decides nothing: the plans say who won. */
export function drawBlueprint(
  plans: readonly AgentPlan[],
  shared: readonly SlotModule[],
  frontmatterOf: FrontmatterOf,
): ProjectBlueprint {
  const byDir = plansByDir(plans)
  const draw = (plan: AgentPlan): AgentBlueprint => {
    const { agent } = plan
    const config = configOf(agent, frontmatterOf)
    // Beside an agent that is taken as it is, nothing counts.
    if (plan.config === 'agent') return { key: agent.key, path: agent.path, ...config, ...NOTHING_ADDED }
    return {
      key: agent.key,
      path: agent.path,
      ...config,
      ...instructionsOf(plan),
      tools: plan.tools
        .filter(({ from }) => from === 'file' || from === 'config')
        .map(({ key, from, file }) => (from === 'file' ? { key, file } : { key })),
      skills: plan.skills.map(skillOf),
      inputProcessors: agent.inputProcessors.map(({ file }) => file),
      outputProcessors: agent.outputProcessors.map(({ file }) => file),
      scorers: plan.scorers.map(({ key, file }) => ({ key, file })),
      schedules: agent.schedules.map(({ key, file, text }) => (text ? { key, fields: text.fields } : { key, file })),
      ...(agent.hooks && { hooks: agent.hooks.file }),
      ...(plan.memory && { memory: plan.memory.file }),
      ...(plan.workspace && { workspace: workspaceOf(plan.workspace) }),
      subagents: plan.subagents.flatMap(({ dir }) => byDir.get(dir) ?? []).map(draw),
    }
  }
  return {
    agents: plans.filter(({ agent }) => isTopLevel(agent)).map(draw),
    shared: shared.map(({ slot, file }) => ({ slot, file })),
  }
}

const NOTHING_ADDED = {
  tools: [],
  skills: [],
  inputProcessors: [],
  outputProcessors: [],
  scorers: [],
  schedules: [],
  subagents: [],
} as const

function configOf(agent: AgentDir, frontmatterOf: FrontmatterOf): Pick<AgentBlueprint, 'config'> {
  if (agent.config === undefined) return {}
  const { file } = agent.config
  return { config: isConfiguredByAgentFile(agent) ? { values: frontmatterOf(file) } : { file } }
}

function instructionsOf({ agent, instructions }: AgentPlan): Pick<AgentBlueprint, 'instructions'> {
  if (instructions === 'module' && agent.instructions) return { instructions: { file: agent.instructions.file } }
  if (instructions === 'body') return { instructions: { text: agent.agentFile?.body ?? '' } }
  return instructions === 'markdown' ? { instructions: { text: agent.markdown?.text ?? '' } } : {}
}

/** What modules say of their names only they know. */
function skillOf({ file, text }: PlannedSkill): SkillBlueprint {
  return text === undefined ? { name: moduleName(baseName(file))?.base ?? '', file } : { fields: text.fields }
}

function workspaceOf({ home, seeds, module, isMade }: PlannedWorkspace): WorkspaceBlueprint {
  return { home, isMade, ...(seeds !== undefined && { seeds }), ...(module && { module: module.file }) }
}
