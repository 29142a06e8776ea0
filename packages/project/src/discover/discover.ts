import { APPLICATION_SLOTS, moduleName } from '../layout.ts'
import { type EntryKind, joinPath, type SourceTree } from '../tree/source-tree.ts'
import { type AgentDir, type Note, type SlotModule, slotModules } from './agent-dir.ts'
import { type Application, findApplication } from './application.ts'
import { discoverAgents } from './discover-agent.ts'
import { linkNote, listFolder, otherNote, sortFolder } from './folder.ts'
import { ModuleIndex } from './module-index.ts'

/** The files of a project by their names. Of what lies beside them, it is not settled yet whether a module uses it. */
export interface FoundFiles {
  readonly tree: SourceTree
  readonly application: Application
  readonly agents: readonly AgentDir[]
  /** The modules that the application's own folder holds, such as its storage: what its agents share. */
  readonly shared: readonly SlotModule[]
  /** Notes on the application's own folders; each agent has its own. */
  readonly notes: readonly Note[]
  readonly modules: ModuleIndex
}

/** Everything that can be known of a project without running its code. */
export interface Discovered extends FoundFiles {
  /** The modules in slots, and what they import or read, directly or not. */
  readonly used: ReadonlySet<string>
}

/** Finds agents and their files. */
export function findFiles(tree: SourceTree, dir?: string): FoundFiles {
  const modules = new ModuleIndex(tree)
  const application = findApplication(tree, dir)
  if (!application.ok) return { tree, application, agents: [], shared: [], notes: [], modules }
  const { entries, modules: own, notes: sorted } = sortFolder(tree, application.dir, APPLICATION_SLOTS)
  const folder = entries.get('agents')
  const found = folder === undefined ? { agents: [], notes: [] } : discoverAgents(tree, folder, [])
  return {
    tree,
    application,
    agents: found.agents,
    shared: [...own.values()],
    notes: [...sorted, ...found.notes],
    modules,
  }
}

/** Reads every module: what one of them imports or reads is its own affair. */
export function settleFiles(found: FoundFiles): Discovered {
  const { tree, agents, shared, notes, modules } = found
  const used = modules.closure([...shared.map(({ file }) => file), ...allModules(agents)])
  const settle = (notes: readonly Note[]): Note[] => notes.flatMap((note) => withoutImported(tree, note, used))
  return { ...found, used, agents: agents.map((agent) => settleAgent(agent, settle, used)), notes: settle(notes) }
}

function allModules(agents: readonly AgentDir[]): string[] {
  return agents.flatMap((agent) => [...slotModules(agent).map(({ file }) => file), ...allModules(agent.subagents)])
}

function settleAgent(agent: AgentDir, settle: (notes: readonly Note[]) => Note[], used: ReadonlySet<string>): AgentDir {
  const subagents = agent.subagents.map((subagent) => settleAgent(subagent, settle, used))
  // A text that a module reads beside itself is a part of that module, and no skill of its own.
  const skills = agent.skills.filter(({ file }) => !used.has(file))
  return { ...agent, skills, subagents, notes: settle(agent.notes) }
}

/** Drops what an agent's own modules import. Of a folder of which a part is imported, the rest is told file by file. */
function withoutImported(tree: SourceTree, note: Note, used: ReadonlySet<string>): Note[] {
  if (note.kind !== 'ignored' && note.kind !== 'unsupported') return [note]
  if (used.has(note.path)) return []
  if (tree.kindOf(note.path) !== 'directory') return [note]
  const unreadable: Note[] = []
  const below = entriesBelow(tree, note.path, unreadable)
  if (!below.some(({ path }) => used.has(path))) return [note]
  return [...below.filter(({ path }) => !used.has(path)).map(unusedNote), ...unreadable]
}

/** Something that is no folder. */
interface Leaf {
  readonly path: string
  readonly kind: Exclude<EntryKind, 'directory'>
}

function entriesBelow(tree: SourceTree, dir: string, notes: Note[]): Leaf[] {
  return listFolder(tree, dir, notes).flatMap(({ name, kind }): Leaf[] => {
    const path = joinPath(dir, name)
    return kind === 'directory' ? entriesBelow(tree, path, notes) : [{ path, kind }]
  })
}

function unusedNote({ path, kind }: Leaf): Note {
  if (kind === 'link') return linkNote(path)
  if (kind === 'other') return otherNote(path)
  const because = 'other files of this folder are imported, and nothing imports this one'
  const fix =
    moduleName(path) === undefined ? 'move it out of the application, or remove it' : 'import it, or remove it'
  return { kind: 'ignored', path, what: 'file', because, fix }
}
