import { APPLICATION_SLOTS, isQuiet, moduleName } from '../layout.ts'
import { joinPath, type SourceTree } from '../tree/source-tree.ts'
import { type AgentDir, type Note, type SlotModule, slotModules } from './agent-dir.ts'
import { type Application, findApplication } from './application.ts'
import { discoverAgents } from './discover-agent.ts'
import { listFolder, sortFolder } from './folder.ts'
import { ModuleIndex } from './module-index.ts'

/** Everything that can be known of a project without running its code. */
export interface Discovered {
  readonly tree: SourceTree
  readonly application: Application
  readonly agents: readonly AgentDir[]
  /** The modules that the application's own folder holds, such as its storage: what its agents share. */
  readonly shared: readonly SlotModule[]
  /** Notes on the application's own folders; each agent has its own. */
  readonly notes: readonly Note[]
  readonly modules: ModuleIndex
}

export function discover(tree: SourceTree, dir?: string): Discovered {
  const modules = new ModuleIndex(tree)
  const application = findApplication(tree, dir)
  if (!application.ok) return { tree, application, agents: [], shared: [], notes: [], modules }
  const { entries, modules: own, notes: sorted } = sortFolder(tree, application.dir, APPLICATION_SLOTS)
  const folder = entries.get('agents')
  const found = folder === undefined ? { agents: [], notes: [] } : discoverAgents(tree, folder, [])
  const shared = [...own.values()]
  const used = modules.closure([...shared.map(({ file }) => file), ...allModules(found.agents)])
  const settle = (notes: readonly Note[]): Note[] => notes.flatMap((note) => withoutImported(tree, note, used))
  return {
    tree,
    application,
    agents: found.agents.map((agent) => settleAgent(agent, settle, used)),
    shared,
    notes: settle([...sorted, ...found.notes]),
    modules,
  }
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
  const files = filesBelow(tree, note.path)
  if (!files.some((file) => used.has(file))) return [note]
  return files
    .filter((file) => !used.has(file))
    .map((path) => ({
      kind: 'ignored',
      path,
      what: 'file',
      because: 'other files of this folder are imported, and nothing imports this one',
      fix: moduleName(path) === undefined ? 'move it out of the application, or remove it' : 'import it, or remove it',
    }))
}

function filesBelow(tree: SourceTree, dir: string): string[] {
  const notes: Note[] = []
  return listFolder(tree, dir, notes).flatMap(({ name, kind }) => {
    const path = joinPath(dir, name)
    if (kind === 'directory') return filesBelow(tree, path)
    return isQuiet(name, false) ? [] : [path]
  })
}
