import { createTool } from '@retinue/core/tools'
import { pathProperty, type ToolHome, type WorkspaceTool } from './reading-tools.ts'
import { impossible } from './refusals.ts'
import { replaceExact } from './replace-exact.ts'
import { decode, encode } from './text.ts'
import { DELETE_FILE, EDIT_FILE, WRITE_FILE } from './tool-names.ts'

export function writeFileTool({ files, bounds }: ToolHome): WorkspaceTool {
  return createTool({
    id: WRITE_FILE,
    description:
      'Writes a text file in your workspace: makes it, with the folders above it, or replaces all of its text. To change a part of a file use workspace_edit_file.',
    inputSchema: {
      type: 'object',
      properties: {
        path: pathProperty('Path relative to the workspace, for example "notes/sources.md".'),
        text: { type: 'string', description: 'The whole text of the file.' },
      },
      required: ['path', 'text'],
      additionalProperties: false,
    },
    execute: (input) => {
      const path = String(input['path'])
      const bytes = encode({ path, verb: 'written' }, String(input['text']), bounds.writeBytes)
      const { created } = files().write(path, bytes)
      return { path, size: bytes.length, created }
    },
  })
}

export function editFileTool({ files, bounds }: ToolHome): WorkspaceTool {
  return createTool({
    id: EDIT_FILE,
    description:
      'Replaces a part of a text file in your workspace. `oldText` must stand in the file exactly once, character by character; take in more of the lines around it if it stands there more often.',
    inputSchema: {
      type: 'object',
      properties: {
        path: pathProperty('Path relative to the workspace.'),
        oldText: {
          type: 'string',
          minLength: 1,
          description: 'The text to replace, exactly as it stands in the file.',
        },
        newText: { type: 'string', description: 'What stands there then. Empty to delete the old text.' },
        replaceAll: { type: 'boolean', description: 'True to replace it wherever it stands.' },
      },
      required: ['path', 'oldText', 'newText'],
      additionalProperties: false,
    },
    execute: (input) => {
      const [path, oldText, newText] = [String(input['path']), String(input['oldText']), String(input['newText'])]
      const target = { path, verb: 'edited' } as const
      if (oldText === '') throw impossible(target, 'oldText is empty', 'Use workspace_write_file for the whole text.')
      const root = files()
      const before = decode(target, root.read(path, bounds.writeBytes, 'edited'))
      const replaced = replaceExact(before, { oldText, newText, replaceAll: input['replaceAll'] === true })
      if (!replaced.ok) throw impossible(target, ...notOnce(replaced.count))
      root.write(path, encode(target, replaced.text, bounds.writeBytes), 'edited')
      return { path, replaced: replaced.count }
    },
  })
}

/** The reason and the way out. */
function notOnce(count: number): [string, string] {
  if (count === 0) return ['oldText is not in it', 'Read the file again and copy the text exactly, blanks included.']
  const hint = 'Take in more of the lines around it, or pass replaceAll: true.'
  return [`oldText occurs ${count} times in it, and must occur once`, hint]
}

export function deleteFileTool({ files }: ToolHome): WorkspaceTool {
  return createTool({
    id: DELETE_FILE,
    description:
      'Deletes a file in your workspace, or a folder that is empty. With `recursive` also a folder and everything in it. It can not be undone.',
    inputSchema: {
      type: 'object',
      properties: {
        path: pathProperty('Path relative to the workspace.'),
        recursive: { type: 'boolean', description: 'True to delete a folder with everything in it.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    execute: (input) => {
      const path = String(input['path'])
      return { path, deletedFiles: files().remove(path, input['recursive'] === true) }
    },
  })
}
