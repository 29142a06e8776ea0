import { createTool } from '@retinue/core/tools'
import type { Workspace } from '@retinue/core/workspace'
import { unreadable } from './path-steps.ts'
import { RootedFiles } from './rooted-files.ts'
import { LIST_FILES, READ_FILE } from './tool-names.ts'

/** The largest file that is read, in bytes. */
export const MAX_FILE_BYTES: number = 256 * 1024

/** How many files one listing holds. */
const MAX_LISTED = 1000

export interface LocalWorkspaceOptions {
  /** For records: which agent's workspace it is. */
  id: string
  /** The folder. Nothing above or beside it is ever read. */
  root: string
}

/**
 * A folder whose files an agent may read and list, and nothing more: it can't write, and no path, link or race leads out of the
 * folder. Its tools throw `workspace-path-refused` for a path that would, and `workspace-file-refused` for a file that is not
 * there, is too large or is no text.
 */
export function createLocalWorkspace({ id, root }: LocalWorkspaceOptions): Workspace {
  const files = new RootedFiles(root)
  return { id, tools: { [READ_FILE]: readFileTool(files), [LIST_FILES]: listFilesTool(files) } }
}

type WorkspaceTool = Workspace['tools'][string]

function readFileTool(files: RootedFiles): WorkspaceTool {
  return createTool({
    id: READ_FILE,
    description:
      'Reads a text file from your workspace: templates, notes and reference material that were put there for you. Returns the whole text. Call workspace_list_files first if you do not know the path.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path relative to the workspace, for example "draft-template.md".' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    execute: (input) => {
      const path = String(input['path'])
      return { path, text: decode(path, files.read(path, MAX_FILE_BYTES)) }
    },
  })
}

function listFilesTool(files: RootedFiles): WorkspaceTool {
  return createTool({
    id: LIST_FILES,
    description:
      'Lists the files in your workspace, with their paths and sizes in bytes. Use it to find out what there is before you read a file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'A folder in the workspace. Leave it out for everything.' } },
      additionalProperties: false,
    },
    execute: (input) => {
      const { files: listed, complete } = files.list(String(input['path'] ?? ''), MAX_LISTED)
      return complete ? { files: listed } : { files: listed, note: `There are more: only ${MAX_LISTED} are listed.` }
    },
  })
}

function decode(path: string, bytes: Uint8Array): string {
  const isBinary = bytes.includes(0)
  try {
    if (!isBinary) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8: said below, like other bytes that are no text.
  }
  throw unreadable(path, 'it is not a text file (UTF-8)')
}
