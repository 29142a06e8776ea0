/** The file tools of a workspace, by the names that the model sees. */
export type WorkspaceToolName =
  | 'workspace_read_file'
  | 'workspace_list_files'
  | 'workspace_search_files'
  | 'workspace_stat_file'
  | 'workspace_write_file'
  | 'workspace_edit_file'
  | 'workspace_delete_file'

/** What an agent's `workspace.ts` may say. All of it is data: who has a file system makes a `Workspace` of it. */
export interface WorkspaceSettings {
  /** Only tools that change nothing. Default: false. */
  readonly readOnly?: boolean
  /** The only file tools that the agent gets. Default: all; with `readOnly`, those that read. */
  readonly tools?: readonly WorkspaceToolName[]
  /**
   * The folder that holds the files. A relative path stands below the project, and may not lead out of it; only an absolute one
   * may. Default: a folder of the agent's own in the project's `.retinue/data`.
   */
  readonly root?: string
  readonly limits?: WorkspaceLimits
  /** Whether the agent may run commands. Default: false. See `WorkspaceShell` for what that means. */
  readonly shell?: boolean | WorkspaceShell
}

/** Bounds of one call of a tool. */
export interface WorkspaceLimits {
  /** How many bytes of a file the model reads at once. Default: 256 KiB. */
  readonly readBytes?: number
  /** How large a file may be that is written or edited. Default: 256 KiB. */
  readonly writeBytes?: number
  /** How many files one listing names. Default: 500. */
  readonly listedFiles?: number
  /** How many lines one search gives. Default: 100. */
  readonly searchResults?: number
}

/**
 * Commands that the agent's model may run in its workspace. **This is no sandbox**: the folder is where a command starts, not
 * where it must stay. It can read and change whatever the user can that runs the program, and reach the network. What is kept
 * from it is the program's environment, so that no key is told by it; what is bounded are time and output. A person approves each
 * call unless `requireApproval` says otherwise; a call that nobody can approve is not run.
 */
export interface WorkspaceShell {
  /** Default: true. A function decides by the command. */
  readonly requireApproval?: boolean | ((input: { readonly command: string }) => boolean | Promise<boolean>)
  /** After that the command, and all that it started, is killed. Milliseconds; default: 30,000. */
  readonly timeoutMs?: number
  /** How much of each output is kept: its head and its tail. Default: 16 KiB. */
  readonly outputBytes?: number
  /** Variables beside the few that a command always gets (`PATH`, the language and the time zone, a `HOME` in the workspace). */
  readonly env?: Readonly<Record<string, string>>
}

/** Types what an agent's `workspace.ts` exports. It returns its argument. */
export function workspaceConfig<const S extends WorkspaceSettings>(settings: S & WorkspaceSettings): S {
  return settings
}
