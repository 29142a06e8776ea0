import { isAbsolute } from 'node:path'
import type { AgentPlan, PlannedWorkspace } from '../plan.ts'
import { normalizePath } from '../tree/source-tree.ts'
import { propertyPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.9: a workspace belongs to one agent. Where nobody writes, folders may be shared. */
export const workspaceShared: Rule = {
  code: 'workspace-shared',
  severity: 'error',
  why: 'a workspace belongs to one agent: two that write in one folder change the files under each other',
  *check(context) {
    const roots = context.plans.flatMap(rooted)
    for (const [index, own] of roots.entries()) {
      // Of two that stand in each other's way, the one that was given its root is told.
      const file = own.workspace.module?.file
      if (!own.workspace.isRootGiven || file === undefined) continue
      const other = roots.find(
        (other, at) => at !== index && !(other.workspace.isRootGiven && at > index) && overlap(own, other),
      )
      if (other === undefined) continue
      yield {
        message: `the workspaces of "${own.plan.agent.key}" and "${other.plan.agent.key}" are in one folder: "${own.root}" and "${other.root}"`,
        place: propertyPlace(context, file, ['root'], 'value'),
        agentPath: own.plan.agent.path,
        fix: 'give each a folder of its own, neither inside the other, or add readOnly: true to both',
      }
    }
  },
}

interface Rooted {
  readonly plan: AgentPlan
  readonly workspace: PlannedWorkspace
  readonly root: string
}

function rooted(plan: AgentPlan): Rooted[] {
  const { workspace } = plan
  const root = workspace && (isAbsolute(workspace.root) ? workspace.root : normalizePath(workspace.root))
  // One that a module made has a place of its own, of which nothing is known here.
  return workspace === undefined || root === undefined || workspace.isMade ? [] : [{ plan, workspace, root }]
}

function overlap(a: Rooted, b: Rooted): boolean {
  if (a.workspace.readOnly && b.workspace.readOnly) return false
  return isBelow(a.root, b.root) || isBelow(b.root, a.root)
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' ? !isAbsolute(path) : `${path}/`.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
