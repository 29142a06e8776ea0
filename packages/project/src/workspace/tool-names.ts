import type { WorkspaceSettings, WorkspaceToolName } from '@retinue/core/workspace'

// The names of the tools that come with a workspace, as the model sees them.
export const READ_FILE = 'workspace_read_file'
export const LIST_FILES = 'workspace_list_files'
export const SEARCH_FILES = 'workspace_search_files'
export const STAT_FILE = 'workspace_stat_file'
export const WRITE_FILE = 'workspace_write_file'
export const EDIT_FILE = 'workspace_edit_file'
export const DELETE_FILE = 'workspace_delete_file'
export const RUN_COMMAND = 'workspace_run_command'

/** The tools that change nothing. */
export const READING_TOOLS: readonly WorkspaceToolName[] = [READ_FILE, LIST_FILES, SEARCH_FILES, STAT_FILE]

/** The tools that a workspace has of which nothing is said. */
export const WORKSPACE_TOOLS: readonly WorkspaceToolName[] = [...READING_TOOLS, WRITE_FILE, EDIT_FILE, DELETE_FILE]

/** The names of all tools that a workspace with these settings has. */
export function workspaceToolNames(settings: WorkspaceSettings): readonly string[] {
  return settings.shell ? [...fileToolNames(settings), RUN_COMMAND] : fileToolNames(settings)
}

/** The same without the shell. */
export function fileToolNames({ readOnly, tools }: WorkspaceSettings): readonly WorkspaceToolName[] {
  const possible = readOnly ? READING_TOOLS : WORKSPACE_TOOLS
  return tools === undefined ? possible : possible.filter((name) => tools.includes(name))
}
