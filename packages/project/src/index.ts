/**
 * Folders to agents. `loadProject` makes agents of a project's folders in any Node program; `checkProject` says what is wrong with
 * them, without running their code in this process.
 */

export type { ProjectDefaults } from './assemble-application.ts'
export type { OwnedSchedule } from './assemble-project.ts'
export { type AgentBlueprint, modulesOf, type ProjectBlueprint, withSubagents } from './blueprint.ts'
export {
  type CheckOptions,
  type CheckResult,
  checkProject,
  type WatchOptions,
  watchProject,
} from './check-project.ts'
export { type Look, onEveryChange, type WatchedProject } from './every-change.ts'
export { type DetailedFinding, type Excerpt, type Finding, plainFinding, type Severity } from './findings/finding.ts'
export { type Palette, printable, renderFinding, renderFindings } from './findings/render.ts'
export { renderGithub } from './findings/render-github.ts'
export { type SarifOptions, type SarifRule, toSarif } from './findings/to-sarif.ts'
export { DATA_DIR } from './layout.ts'
export { compiledFolder } from './load/compiled-code.ts'
export { endWithParent } from './load/end-with-parent.ts'
export {
  type LoadProjectOptions,
  loadProject,
  type OpenedProject,
  type OpenProjectOptions,
  openProject,
  type Project,
  prepareOpening,
} from './load-project.ts'
export { legalName, nameProblem } from './names.ts'
export { type BuildPlan, type PlannedBuild, planBuild } from './plan-build.ts'
export { type DiagnosticPage, diagnosticPage, diagnosticPages, nearestCodes } from './rules/pages.ts'
export type { AgentDescription, TreeDescription } from './tree-description.ts'
export type {
  AgentPath,
  AgentTypes,
  HooksOf,
  ProjectAgents,
  ProjectTypes,
  ToolInputOf,
  TypedAgent,
} from './types/project-types.ts'
export { createLocalWorkspace, type LocalWorkspaceOptions } from './workspace/local-workspace.ts'
export { withheld } from './workspace/withheld.ts'
