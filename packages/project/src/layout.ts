/**
 * The convention as data: which names mean something, and where. Everything that reads an agent's folder asks this file, so a new
 * slot begins here.
 */

/** What a module in a slot must export; `frontmatter` is that of an `agent.md`, which stands for a config's export. */
export type ModuleSlot =
  | 'config'
  | 'frontmatter'
  | 'instructions'
  | 'tool'
  | 'hooks'
  | 'workspace'
  | 'memory'
  | 'storage'
  | 'logger'
  | 'backgroundTasks'
  | 'server'
  | 'skill'
  | 'input-processor'
  | 'output-processor'
  | 'scorer'
  | 'schedule'
  | 'index'

/** The directories that may hold an application, best first. */
export const APPLICATION_DIRS: readonly string[] = ['src/retinue', 'src/mastra']

/** Accepted in every slot; of two files of one name, the earlier extension wins. */
export const MODULE_EXTENSIONS: readonly string[] = ['.ts', '.mts', '.js', '.mjs']

/** What runs leave behind: below the project, and in no source or build output. */
export const DATA_DIR = '.retinue/data'

/** Levels of `subagents/` that are kept below a top-level agent. */
export const MAX_SUBAGENT_DEPTH = 3

/** `module`: one file of that base name in any accepted extension. `text`: exactly that file. `directory`: a folder. */
export interface Slot {
  readonly name: string
  readonly form: 'module' | 'text' | 'directory'
  /** False for slots of the convention that this version does not read yet: they are told, never passed over. */
  readonly supported: boolean
}

function slot(name: string, form: Slot['form'], supported = true): Slot {
  return { name, form, supported }
}

/** What an agent's directory may hold, at every level. */
export const AGENT_SLOTS: readonly Slot[] = [
  slot('config', 'module'),
  slot('agent.md', 'text'),
  slot('instructions.md', 'text'),
  slot('instructions', 'module'),
  slot('hooks', 'module'),
  slot('workspace', 'module'),
  slot('memory', 'module'),
  slot('tools', 'directory'),
  slot('workspace', 'directory'),
  slot('subagents', 'directory'),
  slot('skills', 'directory'),
  slot('processors', 'directory'),
  slot('scorers', 'directory'),
  slot('schedules', 'directory'),
]

/** What the folder of a skill may hold, beside Markdown of its own. Its `scripts/` are told: nothing runs them. */
export const SKILL_SLOTS: readonly Slot[] = [
  slot('SKILL.md', 'text'),
  slot('references', 'directory'),
  slot('assets', 'directory'),
]

/** What `processors/` may hold. */
export const PROCESSOR_SLOTS: readonly Slot[] = [slot('input', 'directory'), slot('output', 'directory')]

/** What the application's directory may hold. */
export const APPLICATION_SLOTS: readonly Slot[] = [
  slot('agents', 'directory'),
  slot('storage', 'module'),
  slot('memory', 'module'),
  slot('logger', 'module'),
  slot('backgroundTasks', 'module'),
  slot('server', 'module'),
  slot('observability', 'module', false),
  slot('index', 'module'),
]

/** The name a person would type for a slot: the first accepted extension stands for a module. */
export function slotLabel({ name, form }: Slot): string {
  if (form === 'module') return `${name}.ts`
  return form === 'directory' ? `${name}/` : name
}

/** Splits `search.ts` into its base name and extension, if the extension is one of a module. */
export function moduleName(fileName: string): { base: string; extension: string } | undefined {
  const extension = MODULE_EXTENSIONS.find((candidate) => fileName.endsWith(candidate))
  if (extension === undefined || fileName === extension) return undefined
  return { base: fileName.slice(0, -extension.length), extension }
}

/** A file's name without its extension, whatever that is. */
export function withoutExtension(fileName: string): string {
  return fileName.replace(/\.[^.]*$/, '')
}

const TEST_FILE = /\.(?:test|spec)(?:-d)?\.[cm]?[jt]sx?$/
const DECLARATION = /\.d\.[cm]?ts$/
const README = /^readme(?:\.[a-z]+)?$/i
const QUIET_DIRS = new Set(['__tests__', '__mocks__', '__snapshots__', '__fixtures__', 'node_modules'])

/** Files that stand beside agents by good right and are none of ours: passed over without a word. */
export function isQuiet(name: string, isDirectory: boolean): boolean {
  if (name.startsWith('.')) return true
  if (isDirectory) return QUIET_DIRS.has(name)
  return TEST_FILE.test(name) || DECLARATION.test(name) || README.test(name)
}
