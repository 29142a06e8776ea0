import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import type { Workspace, WorkspaceSettings, WorkspaceToolName } from '@retinue/core/workspace'
import { boundsOf } from './bounds.ts'
import { folderOpener } from './open-folder.ts'
import { pathSteps } from './path-steps.ts'
import {
  listFilesTool,
  readFileTool,
  searchFilesTool,
  statFileTool,
  type ToolHome,
  type WorkspaceTool,
} from './reading-tools.ts'
import { RootedFiles } from './rooted-files.ts'
import { copySeeds, type Seeds } from './seeds.ts'
import { settingsProblems } from './settings-problems.ts'
import { shellTool } from './shell-tool.ts'
import { fileToolNames, RUN_COMMAND } from './tool-names.ts'
import { deleteFileTool, editFileTool, writeFileTool } from './writing-tools.ts'

export interface LocalWorkspaceOptions extends WorkspaceSettings {
  /** For records: which agent's workspace it is. */
  readonly id: string
  /** The folder. Nothing above or beside it is ever read or written. */
  readonly root: string
  /** A folder that `root` is relative to and must not lead out of, also not through a link. Without it `root` is trusted. */
  readonly within?: string
  /** Files that are copied into the folder before it is first used. */
  readonly seeds?: Seeds
}

/**
 * A folder whose files an agent may read and change. No path, link or race leads out of it (`open-folder.ts` says what holds on
 * which system); a shell, where `shell` asks for one, may leave it as any command may. The folder is made, and seeds are copied,
 * when a tool is called for the first time.
 *
 * Throws `workspace-invalid` for settings that mean nothing. Its tools throw `workspace-path-refused` for a path that would lead
 * out, `workspace-file-refused` for what can't be done with a file, and `workspace-search-refused` for what can't be searched for.
 */
export function createLocalWorkspace(options: LocalWorkspaceOptions): Workspace {
  const { id, root, within, seeds, ...settings } = options
  assertSettings(id, settings)
  const folder = within === undefined ? root : join(within, root)
  const files = new RootedFiles(folder)
  let isReady = false
  const ready = (): RootedFiles => {
    if (!isReady) prepare(files, folder, options)
    isReady = true
    return files
  }
  const home = { files: ready, bounds: boundsOf(settings.limits) }
  const tools: Record<string, WorkspaceTool> = {}
  for (const name of fileToolNames(settings)) tools[name] = TOOLS[name](home)
  if (settings.shell) {
    const shell = settings.shell === true ? {} : settings.shell
    tools[RUN_COMMAND] = shellTool(shell, () => {
      ready()
      return folder
    })
  }
  return { id, tools }
}

const TOOLS: Readonly<Record<WorkspaceToolName, (home: ToolHome) => WorkspaceTool>> = {
  workspace_read_file: readFileTool,
  workspace_list_files: listFilesTool,
  workspace_search_files: searchFilesTool,
  workspace_stat_file: statFileTool,
  workspace_write_file: writeFileTool,
  workspace_edit_file: editFileTool,
  workspace_delete_file: deleteFileTool,
}

function prepare(files: RootedFiles, folder: string, { root, within, seeds, readOnly }: LocalWorkspaceOptions): void {
  const target = { path: root, verb: 'read' } as const
  // A folder that may only be read, and gets no seeds, is not made: then it would be empty for ever.
  const create = !readOnly || seeds !== undefined
  if (within !== undefined) folderOpener(within).within(target, pathSteps(root), { create }, () => {})
  else if (create) mkdirSync(folder, { recursive: true })
  if (seeds !== undefined) copySeeds(files, seeds)
}

function assertSettings(id: string, settings: WorkspaceSettings): void {
  const [problem] = settingsProblems({ ...settings })
  if (problem === undefined) return
  throw new RetinueError({
    code: 'workspace-invalid',
    message: `The workspace "${id}" can't be made: ${problem.message}.`,
    hint: problem.fix,
    data: { id },
  })
}
