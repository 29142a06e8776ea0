export {
  type WorkspaceLimits,
  type WorkspaceSettings,
  type WorkspaceShell,
  type WorkspaceToolName,
  workspaceConfig,
} from './settings.ts'
export type { Workspace } from './workspace.ts'
