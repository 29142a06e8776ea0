import { createTool, type ToolContext } from '@retinue/core/tools'
import type { Workspace } from '@retinue/core/workspace'
import type { Bounds } from './bounds.ts'
import { impossible } from './refusals.ts'
import type { RootedFiles } from './rooted-files.ts'
import { searchFiles } from './search-files.ts'
import { decode, linesOf } from './text.ts'
import { LIST_FILES, READ_FILE, SEARCH_FILES, STAT_FILE } from './tool-names.ts'

export type WorkspaceTool = Workspace['tools'][string]

/** What the tools of a workspace work with. `files` is asked for at each call: the first one makes them. */
export interface ToolHome {
  readonly files: () => RootedFiles
  readonly bounds: Bounds
}

/** A path in an input schema. */
export function pathProperty(description: string): { type: 'string'; description: string } {
  return { type: 'string', description }
}

const FILE_PATH = 'Path relative to the workspace, for example "draft-template.md".'

export function readFileTool({ files, bounds }: ToolHome): WorkspaceTool {
  return createTool({
    id: READ_FILE,
    description:
      'Reads a text file from your workspace. Returns the whole text, or only some lines of it. Call workspace_list_files first if you do not know the path.',
    inputSchema: {
      type: 'object',
      properties: {
        path: pathProperty(FILE_PATH),
        firstLine: { type: 'integer', minimum: 1, description: 'Where to begin, from 1. Leave it out for the start.' },
        lastLine: { type: 'integer', minimum: 1, description: 'Where to end, included. Leave it out for the end.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    execute: (input) => {
      const path = String(input['path'])
      const [first, last] = [input['firstLine'], input['lastLine']]
      if (first === undefined && last === undefined) return { path, text: readWhole(files(), path, bounds) }
      return readLines(files(), path, bounds, Number(first ?? 1), Number(last ?? Number.MAX_SAFE_INTEGER))
    },
  })
}

function readWhole(files: RootedFiles, path: string, { readBytes }: Bounds): string {
  return withoutMark(decode({ path, verb: 'read' }, files.read(path, readBytes)))
}

/** Of a large file some lines can be read: what is bounded then are the lines. */
function readLines(files: RootedFiles, path: string, bounds: Bounds, first: number, last: number): object {
  const target = { path, verb: 'read' } as const
  const whole = withoutMark(decode(target, files.read(path, bounds.scannedBytes)))
  const lines = linesOf(whole, first, last)
  if (first > last) {
    const hint = 'Give a firstLine that is not greater than lastLine.'
    throw impossible(target, `firstLine ${first} comes after lastLine ${last}`, hint)
  }
  if (first > lines.total) {
    const [has, hint] =
      lines.total === 1
        ? ['1 line', 'Read it whole: leave firstLine and lastLine out.']
        : [`${lines.total} lines`, `Give a firstLine from 1 to ${lines.total}.`]
    throw impossible(target, `it has ${has}, and reading was to begin at line ${first}`, hint)
  }
  const bytes = Buffer.byteLength(lines.text)
  if (bytes > bounds.readBytes) {
    throw impossible(
      target,
      `these lines have ${bytes} bytes, and ${bounds.readBytes} may be read`,
      'Read fewer lines.',
    )
  }
  return { path, text: lines.text, firstLine: first, lastLine: lines.last, totalLines: lines.total }
}

/** A byte order mark says how a file was written and nothing to a reader. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

export function listFilesTool({ files, bounds: { listedFiles } }: ToolHome): WorkspaceTool {
  return createTool({
    id: LIST_FILES,
    description:
      'Lists the files in your workspace, with their paths and sizes in bytes. Use it to find out what there is before you read a file.',
    inputSchema: {
      type: 'object',
      properties: { path: pathProperty('A folder in the workspace. Leave it out for everything.') },
      additionalProperties: false,
    },
    execute: (input) => {
      const { files: listed, complete } = files().list(String(input['path'] ?? ''), listedFiles)
      return complete ? { files: listed } : { files: listed, note: `There are more: only ${listedFiles} are listed.` }
    },
  })
}

export function searchFilesTool({ files, bounds }: ToolHome): WorkspaceTool {
  return createTool({
    id: SEARCH_FILES,
    description:
      'Finds lines in the text files of your workspace. Returns the path, the number and the text of each line that holds the query.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for in each line, as it stands.' },
        path: pathProperty('A file or a folder in the workspace. Leave it out for everything.'),
        regex: { type: 'boolean', description: 'True if the query is a JavaScript regular expression.' },
        ignoreCase: { type: 'boolean', description: 'True if upper and lower case are the same.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    execute: (input, context: ToolContext | undefined) => {
      const query = {
        text: String(input['query']),
        isRegex: input['regex'] === true,
        ignoreCase: input['ignoreCase'] === true,
      }
      const limits = {
        matches: bounds.searchResults,
        files: bounds.searchedFiles,
        fileBytes: bounds.scannedBytes,
        timeoutMs: bounds.searchMs,
      }
      return searchFiles(files(), String(input['path'] ?? ''), query, limits, context?.abortSignal)
    },
  })
}

export function statFileTool({ files }: ToolHome): WorkspaceTool {
  return createTool({
    id: STAT_FILE,
    description:
      'Says of a path in your workspace whether it is a file or a folder, how many bytes it has, and when it was last changed.',
    inputSchema: {
      type: 'object',
      properties: { path: pathProperty(FILE_PATH) },
      required: ['path'],
      additionalProperties: false,
    },
    execute: (input) => {
      const path = String(input['path'])
      const { kind, size, modified } = files().stat(path)
      return { path, kind, ...(kind === 'file' ? { size } : {}), modified: modified.toISOString() }
    },
  })
}
