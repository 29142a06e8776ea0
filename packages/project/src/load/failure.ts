import { fileURLToPath } from 'node:url'
import { isRetinueError } from '@retinue/core/errors'
import type { LoadFailure, Mistake } from './module-loader.ts'
import { missingImport } from './resolver.ts'

/** Makes a failure of whatever a module threw. `root` is the project's real path; nothing above it is named. */
export function failureOf(thrown: unknown, root: string): LoadFailure {
  const message = relativeText(messageOf(thrown), root)
  const missing = missingImport(thrown)
  const importer = missing === undefined ? undefined : relativeFile(missing.importer, root)
  if (missing !== undefined && importer !== undefined) {
    return { kind: 'not-found', message, missing: { specifier: missing.specifier, importer } }
  }
  const at = placeOf(thrown, root)
  const hint = isRetinueError(thrown) ? thrown.hint : undefined
  const mistake = mistakeOf(thrown)
  return {
    kind: 'threw',
    message,
    ...(hint === undefined ? {} : { hint: relativeText(hint, root) }),
    ...(mistake === undefined ? {} : { mistake }),
    ...(at === undefined ? {} : { at }),
  }
}

function mistakeOf(thrown: unknown): Mistake | undefined {
  if (!(thrown instanceof SyntaxError)) return undefined
  if ('code' in thrown && thrown.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return 'types-needed'
  // These two come from the engine, which has no codes.
  if (/import statement outside a module|^Unexpected token 'export'/.test(thrown.message)) return 'common-js'
  return / does not provide an export named /.test(thrown.message) ? 'export-missing' : undefined
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : `${thrown.name}: ${thrown.message}`
  if (typeof thrown === 'string') return thrown
  try {
    return `${JSON.stringify(thrown) ?? String(thrown)} was thrown`
  } catch {
    return 'an object was thrown'
  }
}

/** The innermost place in the project's own files, from the stack. */
function placeOf(thrown: unknown, root: string): LoadFailure['at'] {
  const stack = thrown instanceof Error ? thrown.stack : undefined
  if (stack === undefined) return undefined
  const found = [...header(stack), ...frames(stack)]
  for (const { place, line, column } of found) {
    const file = relativeFile(place, root)
    if (file !== undefined) return { file, line, column }
  }
  return undefined
}

interface StackPlace {
  readonly place: string
  readonly line: number
  readonly column: number
}

/** What does not link or is no JavaScript has its place in front of the message: file and line, the source, carets below it. */
function header(stack: string): StackPlace[] {
  const [first = '', ...lines] = stack.split('\n')
  const [, place, line] = /^(\S+):(\d+)$/.exec(first) ?? []
  const carets = lines.map((text) => /^(\s*)\^+$/.exec(text)?.[1]).find((indent) => indent !== undefined)
  if (place === undefined || line === undefined) return []
  return [{ place, line: Number(line), column: (carets?.length ?? 0) + 1 }]
}

function frames(stack: string): StackPlace[] {
  const matches = stack.matchAll(/((?:file:\/\/|\/|[A-Za-z]:[\\/])[^\s()]*?):(\d+):(\d+)/g)
  return [...matches].map(([, place = '', line, column]) => ({ place, line: Number(line), column: Number(column) }))
}

/** A file of the project by its path from the root; `undefined` for files of others, packages among them. */
function relativeFile(place: string, root: string): string | undefined {
  const path = toPath(place)?.replaceAll('\\', '/')
  const base = `${root.replaceAll('\\', '/')}/`
  if (path === undefined || !path.startsWith(base)) return undefined
  const file = path.slice(base.length)
  return /(?:^|\/)node_modules\//.test(file) ? undefined : file
}

function toPath(place: string): string | undefined {
  if (!place.startsWith('file://')) return place
  try {
    return fileURLToPath(place.replace(/[?#].*$/, ''))
  } catch {
    return undefined
  }
}

/** A message without the machine's own paths. */
function relativeText(message: string, root: string): string {
  return message.replaceAll(`file://${root}/`, '').replaceAll(`${root}/`, '').replaceAll(`${root}\\`, '')
}
