import { expect, test } from 'vitest'
import { isQuiet } from '../layout.ts'
import { type MemoryEntry, MemoryTree } from '../tree/memory-tree.ts'
import type { AgentDir, Note } from './agent-dir.ts'
import { slotModules } from './agent-dir.ts'
import { discover } from './discover.ts'

/** Random numbers that are the same on every run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

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

function randomTree(seed: number): Record<string, MemoryEntry> {
  const next = random(seed)
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

test('B11.10 in 150 random trees every file is used, imported, passed over by a rule, or told', () => {
  let seen = 0
  for (let seed = 1; seed <= 150; seed++) {
    const files = randomTree(seed)
    const { agents, shared, notes, modules } = discover(new MemoryTree(files))
    const { used: inAgents, notes: more } = accounted(agents)
    const used = [...inAgents, ...shared.map(({ file }) => file)]
    const imported = modules.closure(used.filter((path) => /\.m?[jt]s$/.test(path)))
    const covered = [...used, ...imported, ...[...notes, ...more].flatMap(placesOf)].filter((path) => path !== '')
    for (const path of Object.keys(files)) {
      const parts = path.slice('src/retinue/'.length).split('/')
      if (parts.some((part, index) => isQuiet(part, index < parts.length - 1))) continue
      const found = covered.some((place) => path === place || path.startsWith(`${place}/`))
      if (!found) throw new Error(`seed ${seed}: "${path}" is passed over in silence`)
      seen++
    }
  }
  expect(seen).toBeGreaterThan(2000)
})

test('the same files in another order are the same discovery', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const files = randomTree(seed)
    const reversed = Object.fromEntries(Object.entries(files).reverse())
    const summary = (entries: Record<string, MemoryEntry>): string => {
      const { agents, notes } = discover(new MemoryTree(entries))
      return JSON.stringify([agents, notes])
    }
    expect(summary(reversed)).toBe(summary(files))
  }
})
