import { type AgentDir, type Note, slotModules } from '../../src/discover/agent-dir.ts'
import { discover } from '../../src/discover/discover.ts'
import { isQuiet } from '../../src/layout.ts'
import { type MemoryEntry, MemoryTree } from '../../src/tree/memory-tree.ts'
import type { Property, Random } from '../property.ts'

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

/** The places of all that is used, imported or told. */
function coveredBy({ agents, shared, notes, modules }: ReturnType<typeof discover>): string[] {
  const { used: inAgents, notes: more } = accounted(agents)
  const used = [...inAgents, ...shared.map(({ file }) => file)]
  const imported = modules.closure(used.filter((path) => /\.m?[jt]s$/.test(path)))
  return [...used, ...imported, ...[...notes, ...more].flatMap(placesOf)].filter((path) => path !== '')
}

const summary = ({ agents, shared, notes }: ReturnType<typeof discover>): string =>
  JSON.stringify([agents, shared, notes])

/** R20: whatever lies in a tree, each file is used, imported, passed over by a rule, or told; and the order of a listing changes nothing. */
export const fuzzedTrees: Property = {
  name: 'R20',
  unit: 'trees',
  async check(random, tally) {
    const files = randomTree(random)
    const found = discover(new MemoryTree(files))
    const covered = coveredBy(found)
    for (const path of Object.keys(files)) {
      const parts = path.slice('src/retinue/'.length).split('/')
      if (parts.some((part, index) => isQuiet(part, index < parts.length - 1))) {
        tally('files passed over by a rule')
        continue
      }
      if (!covered.some((place) => path === place || path.startsWith(`${place}/`)))
        throw new Error(`"${path}" is passed over in silence`)
      tally('files used or told')
    }
    const reversed = Object.fromEntries(Object.entries(files).reverse())
    if (summary(discover(new MemoryTree(reversed))) !== summary(found))
      throw new Error('the files in another order are another discovery')
  },
}
