import { type AgentDir, type Note, slotModules } from '../../src/discover/agent-dir.ts'
import { type Discovered, findFiles, settleFiles } from '../../src/discover/discover.ts'
import { examine } from '../../src/examine.ts'
import type { DetailedFinding } from '../../src/findings/finding.ts'
import { isQuiet } from '../../src/layout.ts'
import type { ModuleLoader } from '../../src/load/module-loader.ts'
import { type MemoryEntry, MemoryTree } from '../../src/tree/memory-tree.ts'
import { assert, type Property, type Random } from '../property.ts'

const FILES = [
  ...[
    'config.ts',
    'config.js',
    'Config.ts',
    'config.json',
    'instructions.md',
    'instructions.ts',
    'instructions.MD',
    'agent.md',
  ],
  ...[
    'memory.ts',
    'storage.ts',
    'logger.js',
    'workspace.ts',
    'hooks.js',
    'tools',
    'subagents',
    'a.ts',
    'b.mts',
    'view.tsx',
    'search.test.ts',
    'types.d.ts',
  ],
  ...['SKILL.md', 'skill.md', 'notes.md', 'data.json'],
  ...['.env', 'README.md', 'notes.txt', 'é.ts', 'e\u0301.ts', 'CON', 'x'.repeat(80), '__proto__', 'constructor'],
]
const FOLDERS = [
  'tools',
  'Tools',
  'subagents',
  'workspace',
  'skills',
  'references',
  'assets',
  'scripts',
  'processors',
  'input',
  'output',
  'scorers',
  'lib',
  'a',
  'A',
  'config.ts',
  '__tests__',
  '__proto__',
  'toString',
  'a b',
]
const TEXTS = [
  '',
  '\uFEFF',
  'export default {}',
  "import './a'\nexport default {}",
  "import '../lib/b.mts'",
  'not ( parsed',
  'x\r\n',
  '---\nname: a\n---\nSee [b](references/b.md).\n',
]

function randomTree(random: Random): Record<string, MemoryEntry> {
  const next = (below: number): number => random.below(below)
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T
  const files: Record<string, MemoryEntry> = {}
  const fill = (dir: string, depth: number): void => {
    for (let count = next(5); count >= 0; count--) {
      files[`${dir}/${pick(FILES)}`] =
        next(8) === 0 ? { link: pick(['..', '/etc/passwd', 'a.ts', 'gone']) } : pick(TEXTS)
    }
    if (depth > 6) return
    for (let count = next(3); count > 0; count--) {
      const name = `${dir}/${pick(FOLDERS)}`
      if (!(name in files)) fill(name, depth + 1)
    }
  }
  fill('src/retinue', 0)
  for (const name of ['sup', 'other', 'a']) fill(`src/retinue/agents/${name}`, 1)
  // A name can't be a file and a folder at once.
  return Object.fromEntries(
    Object.entries(files).filter(([path]) => !Object.keys(files).some((other) => other.startsWith(`${path}/`))),
  )
}

/** Everything that an agent makes use of, and everything that is said about the rest. */
function accounted(agents: readonly AgentDir[]): { used: string[]; notes: Note[] } {
  return agents.reduce<{ used: string[]; notes: Note[] }>(
    ({ used, notes }, agent) => {
      const inner = accounted(agent.subagents)
      const own = [...slotModules(agent).map(({ file }) => file), agent.markdown?.file ?? '', agent.workspace ?? '']
      if (agent.agentFile !== undefined) own.push(agent.agentFile.file)
      for (const { file, references } of agent.skills) own.push(file, ...references.map((reference) => reference.file))
      return { used: [...used, ...own, ...inner.used], notes: [...notes, ...agent.notes, ...inner.notes] }
    },
    { used: [], notes: [] },
  )
}

function placesOf(note: Note): readonly string[] {
  if (note.kind === 'shadowed') return [note.loser]
  return note.kind === 'same-tool' ? note.files : [note.path]
}

/** The files that are used or imported. */
function usedIn({ agents, shared, modules }: Discovered): string[] {
  const used = [...accounted(agents).used, ...shared.map(({ file }) => file)]
  return [...used, ...modules.closure(used.filter((path) => /\.m?[jt]s$/.test(path)))]
}

const notesIn = ({ agents, notes }: Discovered): readonly Note[] => [...notes, ...accounted(agents).notes]

/** Runs nobody's code: what a module would be is not what these trees are about. */
const noLoader: ModuleLoader = {
  load: async (requests) => requests.map(() => ({ ok: false, failure: { kind: 'threw', message: 'not run' } })),
  strays: () => [],
}

async function findingsIn(files: Readonly<Record<string, MemoryEntry>>): Promise<readonly DetailedFinding[]> {
  const { findings } = await examine(new MemoryTree(files), noLoader)
  return findings
}

/**
 * R20: whatever lies in a tree, each file is used, imported, passed over by a rule, or told; what is told is a finding that says where;
 * and the order of a listing changes nothing.
 */
export const fuzzedTrees: Property = {
  name: 'R20',
  unit: 'trees',
  async check(random, tally) {
    const files = randomTree(random)
    const found = settleFiles(findFiles(new MemoryTree(files)))
    const told = notesIn(found).flatMap(placesOf)
    const covered = [...usedIn(found), ...told].filter((path) => path !== '')
    for (const path of Object.keys(files)) {
      const parts = path.slice('src/retinue/'.length).split('/')
      const quiet = parts.some((part, index) => isQuiet(part, index < parts.length - 1))
      tally(quiet ? 'files passed over by a rule' : 'files used or told')
      assert(
        quiet || covered.some((place) => path === place || path.startsWith(`${place}/`)),
        () => `"${path}" is passed over in silence`,
      )
    }
    const findings = await findingsIn(files)
    const places = new Set(findings.map(({ file }) => file))
    for (const place of told) assert(place === '' || places.has(place), () => `no finding says that of "${place}"`)
    for (const { file, line, column } of findings)
      assert(file !== undefined && line >= 1 && column >= 1, () => `a finding has no place: ${file}:${line}:${column}`)
    tally('findings', findings.length)
    const reversed = Object.fromEntries(Object.entries(files).reverse())
    assert(
      JSON.stringify(await findingsIn(reversed)) === JSON.stringify(findings),
      () => 'the files in another order have other findings',
    )
  },
}
