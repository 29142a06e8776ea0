import { knownProviders } from '@retinue/core'
import type { Fields } from './claude-frontmatter.ts'
import type { LeftOver } from './imported.ts'

/** What the short names of models stand for. */
const MODELS: ReadonlyMap<string, string> = new Map([
  ['sonnet', 'anthropic/claude-sonnet-4-5'],
  ['opus', 'anthropic/claude-opus-4-1'],
  ['haiku', 'anthropic/claude-haiku-4-5'],
])

/** Tools that read and write files: an agent here has those of its own workspace. */
const FILE_TOOLS: ReadonlySet<string> = new Set([
  'Read',
  'Write',
  'Edit',
  'MultiEdit',
  'Glob',
  'Grep',
  'LS',
  'NotebookEdit',
])

const CARRIED: ReadonlySet<string> = new Set(['name', 'description', 'model', 'tools'])

/** What does here what a field of a frontmatter did there. */
const COUNTERPARTS: ReadonlyMap<string, string> = new Map([
  ['maxTurns', 'write maxSteps below defaultOptions in its agent.md'],
  ['skills', 'copy each into its folder skills/: skills/<name>/SKILL.md'],
  ['disallowedTools', 'nothing is needed: it has the tools of its folder tools/, and no others'],
  ['mcpServers', 'write a file in its tools/ for each tool that it needs of them'],
  ['permissionMode', 'write requireToolApproval: true in its agent.md where a person is to decide on calls'],
  ['memory', 'write a memory.ts beside its agent.md, or beside agents/ for all'],
  ['hooks', 'write a hooks.ts for what happens around delegations, or processors/ for what goes in and out'],
  ['background', 'write backgroundTasks in the agent.md of the agent that delegates to it'],
  ['isolation', 'give it a folder workspace/: the files in it are its own'],
])

/**
 * The model that an agent has from now on: short names and plain ones of Claude have a counterpart, and what is called as here is
 * taken as it is. For any other, which is told, it is the one of those that name none.
 */
export function modelOf({ model: given }: Fields, otherwise: string, file: string, left: LeftOver[]): string {
  const model = typeof given === 'string' ? given.trim() : given
  if (model === undefined || model === null || model === '' || model === 'inherit') return otherwise
  const [, name = '', variant] = /^(.*?)(\[.*\])?$/.exec(String(model)) ?? []
  const carried = MODELS.get(name.toLowerCase()) ?? (isPlain(name) ? `anthropic/${name}` : undefined)
  const found = carried ?? (isCalledAsHere(name) ? name : undefined)
  if (found === undefined) {
    const fix = `it has ${otherwise} now: write model: provider/model in its agent.md for another`
    left.push({ file, what: `its model "${typeof model === 'string' ? model : JSON.stringify(model)}"`, fix })
    return otherwise
  }
  if (variant !== undefined)
    left.push({
      file,
      what: `"${variant}" of its model`,
      fix: 'nothing here means that; the model is the one before it',
    })
  return found
}

/** As the maker of the models calls them: other clouds write more before, behind or in it. */
function isPlain(name: string): boolean {
  return /^claude-[\w.-]+$/.test(name)
}

function isCalledAsHere(name: string): boolean {
  const [, provider = ''] = /^([\w.-]+)\/[\w.:/@+~-]+$/.exec(name) ?? []
  return knownProviders().includes(provider)
}

export function described({ description }: Fields, file: string, left: LeftOver[]): { description?: string } {
  if (typeof description === 'string' && description.trim() !== '') return { description: description.trim() }
  left.push({
    file,
    what: 'it has no description',
    fix: 'say in its agent.md when to delegate to it: description: Use it to …',
  })
  return {}
}

export function tellLost(fields: Fields, file: string, left: LeftOver[]): void {
  const { tools } = fields
  const names =
    typeof tools === 'string'
      ? tools.split(',').map((tool) => tool.trim())
      : Array.isArray(tools)
        ? tools.map(String)
        : []
  const ofFiles = names.filter((name) => FILE_TOOLS.has(name))
  if (ofFiles.length > 0) {
    const fix = 'give it a folder workspace/: it has tools for the files in it, and for no others'
    left.push({ file, what: `its tools for files (${ofFiles.join(', ')})`, fix })
  }
  const others = names.filter((name) => name !== '' && !FILE_TOOLS.has(name))
  if (others.length > 0) {
    const fix = 'write a file for each in its tools/; a shell is a setting of workspace.ts'
    left.push({ file, what: `its tools ${others.join(', ')}`, fix })
  }
  if (tools === undefined) {
    const fix = 'it has none until you write some: a file for each in its tools/'
    left.push({ file, what: 'it could use every tool of the session', fix })
  }
  const rest = Object.keys(fields).filter((key) => !CARRIED.has(key))
  for (const key of rest.filter((key) => COUNTERPARTS.has(key)))
    left.push({ file, what: `${key} in its frontmatter`, fix: COUNTERPARTS.get(key) ?? '' })
  const unknown = rest.filter((key) => !COUNTERPARTS.has(key))
  if (unknown.length > 0)
    left.push({ file, what: `${unknown.join(', ')} in its frontmatter`, fix: 'nothing here means that' })
}
