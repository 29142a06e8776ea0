import { isAbsolute } from 'node:path'
import type { WorkspaceLimits, WorkspaceSettings, WorkspaceShell } from '@retinue/core/workspace'
import { READING_TOOLS, WORKSPACE_TOOLS } from './tool-names.ts'

/** What is wrong with the settings of a workspace, as plain JSON. */
export interface SettingsProblem {
  /** Where in the settings. */
  readonly path: readonly string[]
  readonly message: string
  readonly fix: string
  /** The name that was written and is not known, and those that are. */
  readonly unknown?: { readonly name: string; readonly known: readonly string[] }
}

const SETTINGS: Readonly<Record<keyof WorkspaceSettings, true>> = {
  readOnly: true,
  tools: true,
  root: true,
  limits: true,
  shell: true,
}

const LIMITS: Readonly<Record<keyof WorkspaceLimits, true>> = {
  readBytes: true,
  writeBytes: true,
  listedFiles: true,
  searchResults: true,
}

const SHELL: Readonly<Record<keyof WorkspaceShell, true>> = {
  requireApproval: true,
  timeoutMs: true,
  outputBytes: true,
  env: true,
}

/** A timer takes no more milliseconds, and a buffer not many more bytes. */
const MOST = 2 ** 31 - 1

/** Everything that is wrong with what should be `WorkspaceSettings`; members without a value are left out. */
export function settingsProblems(settings: Readonly<Record<string, unknown>>): readonly SettingsProblem[] {
  const { readOnly, tools, root, limits, shell } = settings
  return [
    ...unknownNames([], settings, SETTINGS),
    ...(isOptional(readOnly, 'boolean') ? [] : [wrong(['readOnly'], 'true or false')]),
    ...toolProblems(tools, readOnly === true),
    ...rootProblems(root),
    ...limitProblems(limits),
    ...shellProblems(shell, readOnly === true),
  ]
}

function toolProblems(tools: unknown, readOnly: boolean): SettingsProblem[] {
  if (tools === undefined) return []
  if (!Array.isArray(tools)) return [wrong(['tools'], "a list of names, such as ['workspace_read_file']")]
  return tools.flatMap((name: unknown): SettingsProblem[] => {
    const known = WORKSPACE_TOOLS.find((tool) => tool === name)
    if (known === undefined) {
      const text = typeof name === 'string' ? `"${name}"` : 'something that is no text'
      const message = `tools names ${text}, which is no tool of a workspace`
      const unknown = { name: String(name), known: WORKSPACE_TOOLS }
      return [{ path: ['tools'], message, fix: `known are ${WORKSPACE_TOOLS.join(', ')}`, unknown }]
    }
    if (!readOnly || READING_TOOLS.includes(known)) return []
    return [{ path: ['tools'], message: `tools names "${known}", and readOnly is true`, fix: 'remove one of the two' }]
  })
}

function rootProblems(root: unknown): SettingsProblem[] {
  if (root === undefined) return []
  if (typeof root !== 'string' || root.trim() === '') return [wrong(['root'], 'the path of a folder')]
  if (isAbsolute(root)) return []
  const fix = 'write a path below the project, or an absolute one'
  const isOdd = /[\\\0]|^[A-Za-z]:/.test(root) || root.split('/').includes('..')
  return isOdd ? [{ path: ['root'], message: `root leads out of the project: "${root}"`, fix }] : []
}

function limitProblems(limits: unknown): SettingsProblem[] {
  if (limits === undefined) return []
  if (!isObject(limits)) return [wrong(['limits'], 'an object of numbers')]
  return [...unknownNames(['limits'], limits, LIMITS), ...wrongNumbers(['limits'], limits, Object.keys(LIMITS))]
}

function shellProblems(shell: unknown, readOnly: boolean): SettingsProblem[] {
  if (shell === undefined || shell === false) return []
  const problems: SettingsProblem[] = []
  if (readOnly) {
    const message = 'shell is on, and readOnly is true: a command can write'
    problems.push({ path: ['shell'], message, fix: 'remove one of the two' })
  }
  if (shell === true) return problems
  if (!isObject(shell)) return [...problems, wrong(['shell'], 'true, or an object of options')]
  const { requireApproval, env } = shell
  problems.push(...unknownNames(['shell'], shell, SHELL))
  problems.push(...wrongNumbers(['shell'], shell, ['timeoutMs', 'outputBytes']))
  if (!isOptional(requireApproval, 'boolean', 'function')) {
    problems.push(wrong(['shell', 'requireApproval'], 'true, false, or a function that decides'))
  }
  const isText = isObject(env) && Object.values(env).every((value) => typeof value === 'string')
  if (env !== undefined && !isText) problems.push(wrong(['shell', 'env'], 'an object of texts'))
  return problems
}

function unknownNames(
  at: readonly string[],
  value: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, true>>,
): SettingsProblem[] {
  const known = Object.keys(names)
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const path = [...at, name]
      const message = `"${path.join('.')}" means nothing here`
      return { path, message, fix: `known are ${known.join(', ')}`, unknown: { name, known } }
    })
}

function wrongNumbers(
  at: readonly string[],
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
): SettingsProblem[] {
  return names
    .filter((name) => {
      const number = value[name]
      const fits = typeof number === 'number' && Number.isInteger(number) && number > 0 && number <= MOST
      return number !== undefined && !fits
    })
    .map((name) => wrong([...at, name], 'a whole number above 0'))
}

function wrong(path: readonly string[], wanted: string): SettingsProblem {
  return { path, message: `${path.join('.')} is not ${wanted}`, fix: `write ${wanted}, or leave it out` }
}

function isOptional(value: unknown, ...types: readonly string[]): boolean {
  return value === undefined || types.includes(typeof value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
