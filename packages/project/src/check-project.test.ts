import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { holds, type Property, type Random } from '../test-support/property.ts'
import {
  agent,
  agentsProject,
  below,
  config,
  type Files,
  findingsIn,
  MODEL,
  tempProject,
  tool,
} from '../test-support/temp-project.ts'
import { checkProject } from './check-project.ts'
import { examine, resultOf } from './examine.ts'
import { plainFinding } from './findings/finding.ts'
import { InProcessLoader } from './load/in-process-loader.ts'
import { openProject } from './load-project.ts'
import { DiskTree } from './tree/disk-tree.ts'
import type { AgentDescription } from './tree-description.ts'
import { WORKSPACE_TOOLS } from './workspace/tool-names.ts'

// Each test starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

/** One project with much of what can be wrong. */
const messy: Files = {
  ...agent('sup', {
    'config.ts': config(`${MODEL}, id: 'x', tools: { a: 5 } as never`),
    'tools/a.ts': 'throw 1',
    'tools/r.ts': tool(),
    Tools: 'x',
  }),
  ...agent('sup/subagents/r', { 'config.ts': config(), 'instructions.ts': "throw new Error('boom')\n" }),
  ...agent('sup/subagents/s', {
    'config.ts': 'export default Promise.reject(new Error())\n',
    'tools/gone.ts': "import './gone'\n",
  }),
  ...agent('x', {
    'config.ts': "import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'x' })\n",
  }),
  'broken/config.ts': 'export default {',
  'near/Config.ts': '',
}

test('B11.11 the same findings, whether modules load in this process or in another', async () => {
  const root = agentsProject(messy)
  const { findings, errors, warnings, agents } = await checkProject(root)
  expect(findings.map(plainFinding)).toEqual(await findingsIn(root))
  expect([errors, warnings, agents]).toEqual([9, 6, 5])
})

test('B11.11 sorted by file, line, column and code, each once, and the same on every run', async () => {
  const root = agentsProject(messy)
  const { findings } = await checkProject(root)
  const keys = findings.map(({ file, line, column, code }) =>
    [file, String(line).padStart(4), String(column).padStart(4), code].join('\t'),
  )
  expect(keys).toEqual([...keys].sort())
  expect((await checkProject(root)).findings).toEqual(findings)
})

test('B11.11 a finding is plain JSON with the documented keys', async () => {
  const { findings } = await checkProject(agentsProject(agent('sup', { 'config.ts': config('') })))
  expect(findings.map(plainFinding)).toEqual([
    {
      code: 'model-missing',
      severity: 'error',
      message: 'agent "sup" has no model',
      file: 'src/retinue/agents/sup/config.ts',
      line: 2,
      column: 16,
      agentPath: ['sup'],
      fix: "write model: 'openai/gpt-5.5', or another 'provider/model', or an AI SDK model",
    },
  ])
  expect(findings[0]?.excerpt).toEqual({ text: 'export default agentConfig({  })', length: 11 })
})

test('what check leaves behind: nothing', async () => {
  const root = tempProject(below('src/retinue/agents', agent('sup')))
  await checkProject(root)
  expect(readdirSync(root).sort()).toEqual(['node_modules', 'package.json', 'src'])
})

test('the tree holds agents in code, built-in tools, and what could be read of a broken one', async () => {
  const own = `import { Agent } from '@retinue/core/agent'
const inner = new Agent({ id: 'inner', description: 'Inner work.', model: () => 'openai/b', instructions: 'Work.' })
const coded = new Agent({ id: 'c', name: 'Coded', description: 'Coded work.', model: ['openai/b', 'google/d'], instructions: 'Work.', agents: { inner } })
export default { ${MODEL}, id: 'boss', name: 'The boss', description: 'Leads.', agents: { coded } }
`
  const sup = agent('sup', { 'config.ts': own, 'tools/search.ts': tool(), 'workspace/a.md': '' })
  const { tree } = await checkProject(agentsProject({ ...sup, 'sup/subagents/broken/config.ts': 'export default {' }))
  const inner = {
    key: 'inner',
    id: 'inner',
    name: 'inner',
    description: 'Inner work.',
    model: '(a function chooses it)',
    tools: [],
    agents: [],
    inCode: true,
  }
  expect(tree).toEqual({
    agents: [
      {
        key: 'sup',
        id: 'boss',
        name: 'The boss',
        description: 'Leads.',
        model: 'openai/gpt-5.5',
        tools: ['search', ...WORKSPACE_TOOLS],
        agents: [
          { key: 'broken', id: 'broken', name: 'broken', tools: [], agents: [] },
          {
            key: 'coded',
            id: 'c',
            name: 'Coded',
            description: 'Coded work.',
            model: 'openai/b, google/d',
            tools: [],
            agents: [inner],
            inCode: true,
          },
        ],
      },
    ],
  })
})

/** A tree in short: each agent's key, with `=` where it is told elsewhere, and those below it. */
function keysOf(agents: readonly AgentDescription[]): string {
  return agents
    .map(
      ({ key, repeated, agents: below }) =>
        key + (repeated ? '=' : '') + (below.length > 0 ? `(${keysOf(below)})` : ''),
    )
    .join(' ')
}

/** Code that makes agents, and can name any of them as what another delegates to. */
function codeOf(agents: Readonly<Record<string, string>>): string {
  const made = Object.keys(agents).map((key) => {
    const options = `id: '${key}', description: 'Does the work of ${key}.', ${MODEL}, instructions: 'Work.'`
    return `export const ${key} = new Agent({ ${options}, agents: below['${key}'] = {} })\n`
  })
  const handed = Object.entries(agents).map(([key, below]) => `Object.assign(below['${key}'], { ${below} })\n`)
  return `import { Agent } from '@retinue/core/agent'\nconst below = {}\n${made.join('')}${handed.join('')}`
}

test('B11.13 agents in code that delegate to each other are told once, and counted once', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
  const all = keys.join(', ')
  const code = codeOf(Object.fromEntries(keys.map((key) => [key, all])))
  const own = `${code}export default { ${MODEL}, agents: { ${all} } }\n`
  const { check } = await openProject(agentsProject(agent('sup', { 'config.ts': own })))
  const { findings, tree, agents } = check
  const again = keys.map((key) => `${key}=`).join(' ')
  expect([findings, keysOf(tree.agents), agents]).toEqual([
    [],
    `sup(${keys.map((key) => `${key}(${again})`).join(' ')})`,
    11,
  ])
})

test('B11.13 an agent that stands in several places is told where it stands highest, or at its folder', async () => {
  const shared = codeOf({ top: 'low', low: 'deep', deep: 'top' })
  const index = `import { Retinue } from '@retinue/core'
import { deep } from './shared.ts'
export const app = new Retinue({ agents: { deep } })
`
  const weather = `import { Agent } from '@retinue/core/agent'
import { low } from '../../shared.ts'
export default new Agent({ id: 'weather', ${MODEL}, instructions: 'Work.', agents: { low } })
`
  const own = `import { low, top } from '../../shared.ts'
import weather from '../weather/config.ts'
export default { ${MODEL}, agents: { one: top, two: top, low, weather } }
`
  const root = tempProject({
    ...below('src/retinue/agents', { ...agent('sup', { 'config.ts': own }), 'weather/config.ts': weather }),
    'src/retinue/shared.ts': shared,
    'src/retinue/index.ts': index,
  })
  const { tree, agents } = await checkProject(root)
  expect([keysOf(tree.agents), agents]).toEqual(['sup(one(low=) two= low(deep=) weather=) weather(low=) deep(top=)', 5])
  expect((await openProject(root)).check.tree).toEqual(tree)
})

/** A config that exports an agent of `agents.ts` as its folder's. */
const exported = (key: string, ups: number): string =>
  `export { ${key} as default } from '${'../'.repeat(ups)}agents.ts'\n`

/** A config that delegates to agents of `agents.ts`. */
const delegating = (keys: readonly string[]): string =>
  `import * as all from '../../agents.ts'\nexport default { ${MODEL}, agents: { ${keys.map((key) => `${key}: all.${key}`).join(', ')} } }\n`

test('B11.13 an agent below one that a folder exports is told, where another module tells it, too', async () => {
  const root = tempProject({
    ...below('src/retinue/agents', {
      ...agent('desk', { 'config.ts': delegating(['r', 'q']) }),
      ...agent('zed'),
      'zed/subagents/r/config.ts': exported('r', 4),
    }),
    'src/retinue/agents.ts': codeOf({ t: '', s: 't', r: 's', q: 's' }),
  })
  const { findings, tree, agents } = await checkProject(root)
  expect([findings, keysOf(tree.agents), agents]).toEqual([[], 'desk(r= q(s(t))) zed(r(s=))', 6])
  expect((await openProject(root)).check.tree).toEqual(tree)
})

test('B11.13 an agent that several folders export is told at the first of those that stand highest', async () => {
  const root = tempProject({
    ...below('src/retinue/agents', {
      ...agent('a'),
      'a/subagents/one/config.ts': exported('r', 4),
      'b/config.ts': exported('r', 2),
      'c/config.ts': exported('r', 2),
    }),
    'src/retinue/agents.ts': codeOf({ s: '', r: 's' }),
  })
  const { tree, agents } = await checkProject(root)
  expect([keysOf(tree.agents), agents]).toEqual(['a(one=) b(s) c=', 3])
  // Only where code made it, and no folder, is it said to be in code.
  expect(tree.agents.map(({ inCode }) => inCode)).toEqual([undefined, undefined, undefined])
})

/** Where an agent stands in a tree, with its depth. */
type Place = AgentDescription & { readonly depth: number }

function placesOf(agents: readonly AgentDescription[], depth = 0): Place[] {
  return agents.flatMap((agent) => [{ ...agent, depth }, ...placesOf(agent.agents, depth + 1)])
}

/** Agents in code that delegate to each other as it comes, in the `agents` of configs, exported by folders, and in an application. */
function randomProject(random: Random) {
  const keys = Array.from({ length: random.between(2, 8) }, (_, index) => `n${index}`)
  const some = (share: number): string[] => keys.filter(() => random.chance(share))
  const graph = new Map(keys.map((key) => [key, some(0.25)]))
  const folders: string[] = []
  const roots: string[] = []
  const files: Record<string, string> = {}
  for (const name of ['x', 'y', 'z'].slice(0, random.between(1, 3))) {
    const entries = some(0.2)
    // Entries of the config win over folders of their keys.
    const inFolders = some(0.2).filter((key) => !entries.includes(key))
    Object.assign(files, below('src/retinue/agents', agent(name, { 'config.ts': delegating(entries) })))
    for (const key of inFolders) files[`src/retinue/agents/${name}/subagents/${key}/config.ts`] = exported(key, 4)
    folders.push(...inFolders)
    roots.push(name, ...entries, ...inFolders)
  }
  const tops = random.chance(0.5) ? some(0.2) : []
  for (const key of tops) files[`src/retinue/agents/${key}/config.ts`] = exported(key, 2)
  const given = random.chance(0.5) ? some(0.2).filter((key) => !tops.includes(key)) : []
  if (given.length > 0)
    files['src/retinue/index.ts'] =
      `import { Retinue } from '@retinue/core'\nimport { ${given.join(', ')} } from './agents.ts'\nexport const app = new Retinue({ agents: { ${given.join(', ')} } })\n`
  files['src/retinue/agents.ts'] = codeOf(Object.fromEntries([...graph].map(([key, to]) => [key, to.join(', ')])))
  const reached = new Set([...roots, ...tops, ...given])
  for (const key of reached) for (const next of graph.get(key) ?? []) reached.add(next)
  return { files, graph, folders: new Set([...folders, ...tops]), reached }
}

const toldOnce: Property = {
  name: 'B11.13',
  unit: 'trees',
  async check(random) {
    const { files, graph, folders, reached } = randomProject(random)
    const root = tempProject(files)
    const { tree, agents } = resultOf(await examine(new DiskTree(root), new InProcessLoader(root)))
    const places = placesOf(tree.agents)
    const told = places.filter(({ repeated }) => !repeated)
    const about = keysOf(tree.agents)
    expect([agents, told.map(({ id }) => id).sort()], about).toEqual([reached.size, [...reached].sort()])
    for (const { id, key, inCode, depth, agents: below } of told.filter(({ id }) => graph.has(id))) {
      expect([key, below.map(({ id }) => id)], about).toEqual([id, graph.get(id)])
      expect(inCode === undefined, about).toBe(folders.has(id))
      const rivals = places.filter((place) => place.id === id && (place.inCode === undefined || !folders.has(id)))
      expect(depth, about).toBe(Math.min(...rivals.map((place) => place.depth)))
    }
    expect(places.filter(({ repeated, agents }) => repeated && agents.length > 0)).toEqual([])
  },
}

test('B11.13 whichever agents in code delegate to each other, each is told whole once, at its folder or where it stands highest, and counted once', async () => {
  await holds(toldOnce, { seed: 1, count: 24 })
})

test('agents in code that share an id are two', async () => {
  const one = `new Agent({ id: 'x', description: 'Does some work.', ${MODEL}, instructions: 'Work.' })`
  const own = `import { Agent } from '@retinue/core/agent'\nexport default { ${MODEL}, agents: { a: ${one}, b: ${one} } }\n`
  const { check } = await openProject(agentsProject(agent('sup', { 'config.ts': own })))
  expect([keysOf(check.tree.agents), check.agents]).toEqual(['sup(a b)', 3])
})

test('B11.13 the agents of an application in code are in the tree beside those of folders, and count', async () => {
  const index = `import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
const inner = new Agent({ id: 'inner', description: 'Does inner work.', ${MODEL}, instructions: 'Work.' })
const weather = new Agent({ id: 'weather', name: 'Weather', ${MODEL}, instructions: 'Work.', agents: { inner } })
const sup = new Agent({ id: 'sup', ${MODEL}, instructions: 'Work.' })
export const app = new Retinue({ agents: { weather, SUP } })
`
  const folders = below('src/retinue/agents', { ...agent('sup'), ...agent('other'), ...agent('other/subagents/low') })
  const withIndex = (sup: string): Files => ({ ...folders, 'src/retinue/index.ts': index.replace('SUP', sup) })
  const model = 'openai/gpt-5.5'
  const low = { key: 'low', id: 'low', name: 'low', description: expect.any(String), model, tools: [], agents: [] }
  const other = { key: 'other', id: 'other', name: 'other', model, tools: [], agents: [low] }
  const inCode = { model, tools: [], inCode: true }
  const inner = { key: 'inner', id: 'inner', name: 'inner', description: 'Does inner work.', agents: [], ...inCode }
  const weather = { key: 'weather', id: 'weather', name: 'Weather', agents: [inner], ...inCode }
  const coded = { key: 'sup', id: 'sup', name: 'sup', agents: [], ...inCode }
  // An agent of code wins over the folder of its key.
  const both = await checkProject(tempProject(withIndex('sup')))
  expect([both.tree, both.agents]).toEqual([{ agents: [other, weather, coded] }, 5])
  const { 'src/retinue/index.ts': alone = '' } = withIndex('')
  const found = await checkProject(tempProject({ 'src/retinue/index.ts': alone }))
  expect([found.tree, found.agents]).toEqual([{ agents: [weather] }, 2])
  const { check } = await openProject(tempProject(withIndex('sup')))
  expect([check.tree, check.agents]).toEqual([both.tree, both.agents])
})

test('a project directory that is not there is a typed error', async () => {
  await expect(checkProject('/nowhere/at/all')).rejects.toMatchObject({ code: 'project-invalid' })
  await expect(checkProject(import.meta.filename)).rejects.toMatchObject({ code: 'project-invalid' })
})

test('B11.11 what modules print while they load goes to stderr', () => {
  const loud = `console.log('{"findings":[]}')\nprocess.stdout.write('raw')\n${config()}`
  const root = agentsProject(agent('sup', { 'config.ts': loud }))
  const program = `import { checkProject } from '@retinue/project'\nconst { agents } = await checkProject('.')\nconsole.log(agents)\n`
  const args = ['--conditions=@retinue/source', '--input-type=module', '-e', program]
  expect(
    execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ).toBe('1\n')
})

test('the process that checks loads nothing of what runs agents: only the one that loads modules needs it', () => {
  const skill = '---\nname: a\ndescription: What to do, and when.\n---\nDo it.\n'
  const root = agentsProject(agent('sup', { 'skills/a.md': skill }))
  const program = `import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
const { checkProject } = await import('@retinue/project')
const { agents } = await checkProject('.')
const parts = new Set(loaded.flatMap((url) => /packages\\/core\\/src\\/(\\w+)\\//.exec(url)?.[1] ?? []))
console.log(JSON.stringify([agents, [...parts].sort()]))`
  const args = ['--conditions=@retinue/source', '--input-type=module', '-e', program]
  const told = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(JSON.parse(told)).toEqual([1, ['errors', 'shared', 'skills', 'tools']])
})
