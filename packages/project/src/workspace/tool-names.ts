/** The names of the tools that come with a workspace, as the model sees them. */
export const READ_FILE = 'workspace_read_file'
export const LIST_FILES = 'workspace_list_files'

export const WORKSPACE_TOOLS: readonly string[] = [READ_FILE, LIST_FILES]
