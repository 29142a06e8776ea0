import type { RequestContextLike } from '../context/request-context.ts'
import { loopTool } from '../loop/loop-tool.ts'
import type { ToolSet } from '../loop/run.ts'
import type { SystemMessage } from '../messages/message.ts'
import { offerSkills } from '../skills/offer-skills.ts'
import { assertSkills, SKILL_TOOL, type Skills } from '../skills/skill.ts'
import { compileTool } from '../tools/compile-tool.ts'
import type { AgentParts } from './agent-parts.ts'
import { toolSet } from './agent-tools.ts'

/** An agent's tools with the one that loads its skills, and what its model is told of them. */
export interface OfferedSkills {
  readonly tools: ToolSet
  readonly message: SystemMessage
  /** What it was made of: as long as that is the same, it is not made again. */
  readonly madeOf: { readonly skills: Skills; readonly tools: ToolSet }
}

/** Offers the skills of an agent in a run; `undefined` if it has none for this request. Loaded when the first run has skills. */
export async function offeredSkills(
  parts: AgentParts,
  requestContext: RequestContextLike,
  tools: ToolSet,
): Promise<OfferedSkills | undefined> {
  const { id, skills: setting } = parts.options
  const skills = typeof setting === 'function' ? await setting({ requestContext }) : setting
  const known = parts.offered
  if (known && known.madeOf.skills === skills && known.madeOf.tools === tools) return known
  if (skills !== setting) assertSkills(skills, id)
  const list = Object.values(skills ?? {})
  if (skills === undefined || list.length === 0) return undefined
  const { message, tool } = offerSkills(list)
  const byName = new Map(tools.byName).set(SKILL_TOOL, loopTool(compileTool(SKILL_TOOL, tool)))
  parts.offered = { tools: toolSet(byName), message, madeOf: { skills, tools } }
  return parts.offered
}
