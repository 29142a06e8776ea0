import { AGENT_SLOTS, MAX_SUBAGENT_DEPTH, moduleName, withoutExtension } from '../layout.ts'
import { readText } from '../tree/read-text.ts'
import { joinPath, type SourceTree } from '../tree/source-tree.ts'
import { isSafeStep } from '../workspace/path-steps.ts'
import { withheld } from '../workspace/withheld.ts'
import type { AgentDir, AgentFile, MarkdownFile, Note, SlotModule } from './agent-dir.ts'
import { discoverSchedules } from './discover-schedules.ts'
import { discoverSkills } from './discover-skills.ts'
import { linkNote, listFolder, listWhole, otherNote, quietFolders, sortFolder } from './folder.ts'
import { splitFrontmatter } from './frontmatter.ts'
import { discoverModules, discoverProcessors } from './module-folder.ts'

/** The agents in a folder of agents (`agents/` or `subagents/`), and notes on what in it is none. */
export interface AgentFolder {
  readonly agents: readonly AgentDir[]
  readonly notes: readonly Note[]
}

/** Reads the agents in `dir`. `parentPath` is the path of the agent that they belong to, empty for top-level ones. */
export function discoverAgents(tree: SourceTree, dir: string, parentPath: readonly string[]): AgentFolder {
  const agents: AgentDir[] = []
  const notes: Note[] = []
  notes.push(...quietAgentNotes(tree, dir))
  for (const { name, kind } of listFolder(tree, dir, notes)) {
    const path = joinPath(dir, name)
    if (kind === 'link') notes.push(linkNote(path))
    else if (kind === 'other') notes.push(otherNote(path))
    else if (kind === 'file') notes.push(flatFileNote(path, name))
    else {
      const agent = discoverAgent(tree, path, [...parentPath, name])
      if (agent.config || agent.instructions || agent.markdown) agents.push(agent)
      else notes.push(...noAgentNotes(tree, agent))
    }
  }
  return { agents, notes }
}

function discoverAgent(tree: SourceTree, dir: string, path: readonly string[]): AgentDir {
  const { entries, modules, notes: sorted } = sortFolder(tree, dir, AGENT_SLOTS)
  const notes = [...sorted]
  const tools = { dir: entries.get('tools'), slot: 'tool', what: 'a tool', second: sameTool } as const
  const workspace = entries.get('workspace')
  if (workspace !== undefined) noteSeeds(tree, workspace, notes)
  const { skills, modules: skillModules } = discoverSkills(tree, entries.get('skills'), notes)
  const processors = discoverProcessors(tree, entries.get('processors'), notes)
  const scorers = { dir: entries.get('scorers'), slot: 'scorer', what: 'a scorer' } as const
  const agentFile = readAgentFile(tree, entries.get('agent.md'))
  return {
    key: path.at(-1) ?? '',
    dir,
    path,
    config: modules.get('config') ?? (agentFile && { slot: 'frontmatter', key: 'agent', file: agentFile.file }),
    instructions: modules.get('instructions'),
    markdown: readMarkdown(tree, entries.get('instructions.md')),
    agentFile,
    tools: discoverModules(tree, tools, notes),
    skills,
    skillModules,
    inputProcessors: processors.input,
    outputProcessors: processors.output,
    scorers: discoverModules(tree, scorers, notes),
    hooks: modules.get('hooks'),
    schedules: path.length === 1 ? discoverSchedules(tree, entries.get('schedules'), notes) : [],
    ignoredSchedules: path.length === 1 ? undefined : entries.get('schedules'),
    workspace,
    workspaceModule: modules.get('workspace'),
    memory: modules.get('memory'),
    subagents: discoverSubagents(tree, entries.get('subagents'), path, notes),
    slots: [...entries.values(), ...[...modules.values()].map(({ file }) => file)],
    notes,
  }
}

function readMarkdown(tree: SourceTree, file: string | undefined): MarkdownFile | undefined {
  if (file === undefined) return undefined
  const read = readText(tree, file)
  return read.ok ? { file, text: read.text } : { file, text: undefined, unread: read.unread }
}

function readAgentFile(tree: SourceTree, file: string | undefined): AgentFile | undefined {
  if (file === undefined) return undefined
  const read = readText(tree, file)
  if (!read.ok) return { file, hasFrontmatter: false, body: '', bodyLine: 1, unread: read.unread }
  const { head, unclosed, body, bodyLine } = splitFrontmatter(read.text)
  return { file, hasFrontmatter: head !== undefined || unclosed, body, bodyLine }
}

function discoverSubagents(
  tree: SourceTree,
  dir: string | undefined,
  path: readonly string[],
  notes: Note[],
): readonly AgentDir[] {
  if (dir === undefined) return []
  if (path.length <= MAX_SUBAGENT_DEPTH) {
    const folder = discoverAgents(tree, dir, path)
    notes.push(...folder.notes)
    return folder.agents
  }
  const names = listFolder(tree, dir, notes).map(({ name }) => name)
  if (names.length > 0) notes.push({ kind: 'too-deep', path: dir, names })
  return []
}

/** B11.1: which of two tools is meant, nobody can tell. */
function sameTool({ key, file }: SlotModule, second: SlotModule): Note {
  return { kind: 'same-tool', key, files: [file, second.file] }
}

/** Seeds are copied as they stand, hidden ones and tests as well, but never through a link, not under a name that no workspace takes, and no secrets. */
function noteSeeds(tree: SourceTree, dir: string, notes: Note[]): void {
  for (const { name, kind } of listWhole(tree, dir, notes)) {
    const path = joinPath(dir, name)
    if (kind === 'link') notes.push(linkNote(path))
    else if (kind === 'other') notes.push(otherNote(path))
    else if (!isSafeStep(name)) notes.push(unsafeSeedNote(path, kind))
    else if (withheld(name) !== undefined) notes.push(withheldSeedNote(path, kind))
    else if (kind === 'directory') noteSeeds(tree, path, notes)
  }
}

function unsafeSeedNote(path: string, kind: 'file' | 'directory'): Note {
  const what = kind === 'file' ? 'file' : 'folder'
  const because = 'its name is one by which no tool of a workspace may ask for it'
  return { kind: 'ignored', path, what, because, fix: 'rename it: letters, digits, blanks, ".", "_" and "-" are safe' }
}

function withheldSeedNote(path: string, kind: 'file' | 'directory'): Note {
  const what = kind === 'file' ? 'file' : 'folder'
  const because = 'what is called so may hold secrets or was installed, and no agent gets it'
  return {
    kind: 'ignored',
    path,
    what,
    because,
    fix: 'move it out of the workspace, or rename it if agents may read it',
  }
}

function flatFileNote(path: string, name: string): Note {
  const base = moduleName(name)?.base ?? withoutExtension(name)
  const slot = name.endsWith('.md') ? 'instructions.md' : 'config.ts'
  const because = 'an agent is a folder, and this is a file'
  return { kind: 'ignored', path, what: 'file', because, fix: `move it to "${base}/${slot}"` }
}

/** What makes a folder an agent: slots by their names; a `hooks` module alone does not. */
const MAKES_AGENT: ReadonlySet<string> = new Set(['config', 'instructions', 'instructions.md', 'agent.md'])

/** The same as a person writes it. */
const AGENT_FILES: readonly string[] = ['config.ts', 'instructions.md', 'instructions.ts', 'agent.md']

/** Why a folder is not an agent: the folder itself, and the near misses in it that explain it. */
function noAgentNotes(tree: SourceTree, { dir, key, notes, subagents }: AgentDir): Note[] {
  const nearMisses = notes.filter((note) => {
    if (note.kind === 'unsupported') return AGENT_FILES.includes(note.slot)
    if (note.kind === 'unreadable') return true
    return note.kind === 'ignored' && (note.what === 'link' || AGENT_FILES.includes(note.meant ?? ''))
  })
  const because = 'it holds no config.ts, no instructions.md and no agent.md, so it is no agent'
  const inner = subagents[0]?.key ?? innerAgent(tree, dir)
  const add = `add "${key}/config.ts" and "${key}/instructions.md", or remove the folder`
  const move = inner === undefined ? add : `move "${inner}/" up one level`
  const fix = nearMisses.length > 0 ? 'correct what the other findings say of the files in it' : move
  return [{ kind: 'ignored', path: dir, what: 'folder', because, fix }, ...nearMisses]
}

/** Folders such as `node_modules` are passed over, but one that is written as an agent was meant to be one. */
function quietAgentNotes(tree: SourceTree, dir: string): Note[] {
  const quiet = quietFolders(tree, dir).filter((name) => isAgentFolder(tree, joinPath(dir, name)))
  return quiet.map((name) => ({
    kind: 'ignored',
    path: joinPath(dir, name),
    what: 'folder',
    because: `a folder called "${name}" is passed over, and this one is written as an agent`,
    fix: 'rename the folder, or move it to another place',
  }))
}

function isAgentFolder(tree: SourceTree, dir: string): boolean {
  const { modules, entries } = sortFolder(tree, dir, AGENT_SLOTS)
  const files = [...modules.keys(), ...entries.keys()]
  return files.some((name) => MAKES_AGENT.has(name))
}

/** A group folder holds agents one level too deep. */
function innerAgent(tree: SourceTree, dir: string): string | undefined {
  const found = listFolder(tree, dir, []).find(({ name, kind }) => {
    return kind === 'directory' && isAgentFolder(tree, joinPath(dir, name))
  })
  return found?.name
}
