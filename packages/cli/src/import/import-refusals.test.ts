import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { cliProject, writeFiles } from '../../test-support/cli-project.ts'
import { main } from '../main.ts'
import { importProject } from './import-project.ts'

const INTO = { app: 'src/retinue', supervisor: 'assistant', model: 'offline/planner' }

function claude(name: string): string {
  return `---\nname: ${name}\ndescription: Helps with it.\ntools: []\n---\nHelp.\n`
}

/** All that is below a folder, but for what was installed. */
function below(folder: string, path = ''): readonly string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const own = join(path, entry.name)
    if (entry.name === 'node_modules') return []
    return entry.isDirectory() ? [own, ...below(folder, own)] : [own]
  })
}

/** What an import into the project refuses; nothing of the project may be another afterwards. */
async function refused(root: string, over: Partial<typeof INTO> & { source?: string } = {}): Promise<string> {
  const before = below(root)
  const error: unknown = await importProject({ ...INTO, source: root, project: root, ...over }).catch(
    (thrown) => thrown,
  )
  expect(below(root)).toEqual(before)
  expect(error).toMatchObject({ name: 'UsageError' })
  return (error as Error).message
}

test('B11.13 an agent of an import is never mixed with one that is there', async () => {
  const root = cliProject({
    '.claude/agents/tester.md': claude('tester'),
    'src/retinue/agents/assistant/config.ts': 'export default {}\n',
    'src/retinue/agents/assistant/instructions.md': 'Help.\n',
  })
  expect(await refused(root)).toBe(
    'nothing was written: the agent folder src/retinue/agents/assistant would be mixed with what is imported: name another agent with --as',
  )
  // One that differs in case alone is the same agent.
  expect(await refused(root, { supervisor: 'Assistant' })).toContain('src/retinue/agents/assistant would')
  const said: string[] = []
  vi.spyOn(console, 'error').mockImplementation((text: string) => void said.push(text))
  vi.spyOn(process, 'cwd').mockReturnValue(root)
  expect(await main(['import'])).toBe(2)
  expect(said.join('\n')).toContain('--as')
  vi.restoreAllMocks()
  const { files } = await importProject({ ...INTO, supervisor: 'lead', source: root, project: root })
  expect([...files.keys()]).toContain('src/retinue/agents/lead/agent.md')
})

test('B11.13 an import is refused where an application in code has the agent already: it would win over the folder', async () => {
  const index = `import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
const low = new Agent({ id: 'low', model: 'openai/gpt-5.5', description: 'Does the low work.' })
const assistant = new Agent({ id: 'assistant', model: 'openai/gpt-5.5', agents: { low } })
export const app = new Retinue({ agents: { assistant } })
`
  const root = cliProject({ '.claude/agents/tester.md': claude('tester'), 'src/retinue/index.mjs': index })
  expect(await refused(root)).toBe(
    'nothing was written: the application in code, src/retinue/index, has the agent assistant, and would win over its folder: name another agent with --as',
  )
  // One below another is nobody's rival, and of code that can't be loaded nothing is known.
  await importProject({ ...INTO, supervisor: 'low', source: root, project: root })
  writeFiles(root, { 'src/retinue/index.mjs': 'throw new Error("not now")\n' })
  await importProject({ ...INTO, source: root, project: root })
})

test('B11.13 folders without a file are in nobody’s way', async () => {
  const root = cliProject({ '.claude/agents/tester.md': claude('tester') })
  mkdirSync(join(root, 'src/retinue/agents/assistant/subagents/tester'), { recursive: true })
  await importProject({ ...INTO, source: root, project: root })
  expect(below(root)).toContain('src/retinue/agents/assistant/subagents/tester/agent.md')
})

test('B11.13 a tree of Mastra is not mixed with an agent, or with a module of another extension', async () => {
  const root = cliProject({
    'src/mastra/index.ts': 'export {}\n',
    'src/mastra/agents/desk/config.ts': 'export default {}\n',
    'src/retinue/agents/desk/agent.md': '---\nmodel: openai/gpt-5.5\n---\nWork.\n',
  })
  expect(await refused(root)).toContain('the agent folder src/retinue/agents/desk would be mixed')
  const other = cliProject({ 'src/mastra/index.ts': 'export {}\n' })
  writeFiles(other, { 'src/retinue/index.mjs': 'export {}\n' })
  expect(await refused(other)).toBe(
    'nothing was written: in the way of what is imported stands src/retinue/index.mjs: name another folder with --dir',
  )
})

test('B11.13 what of .claude/agents can’t be read is told, and the others are taken', async () => {
  const root = cliProject({
    '.claude/agents/tester.md': claude('tester'),
    '.claude/agents/dir.md/inner.md': claude('inner'),
    '.claude/agents/binary.md': '',
    'elsewhere/shared.md': claude('shared'),
  })
  const agents = join(root, '.claude/agents')
  writeFileSync(join(agents, 'binary.md'), Buffer.from([0xff, 0xfe, 0x2d, 0x00]))
  symlinkSync('nowhere.md', join(agents, 'broken.md'))
  symlinkSync('..', join(agents, 'loop'))
  symlinkSync('../../elsewhere/shared.md', join(agents, 'shared.md'))
  const { files, left } = await importProject({ ...INTO, source: root, project: root })
  expect([...files.keys()].map((path) => path.split('/').at(-2))).toEqual(['inner', 'shared', 'tester', 'assistant'])
  expect(left.map(({ file, what }) => `${file}: ${what}`)).toEqual([
    "binary.md: it can't be read: it is not UTF-8",
    'broken.md: it is a link to "nowhere.md", and leads to no file',
    'dir.md: it is no file',
    'loop: it is a link to "..", and leads to no file',
  ])
})

test('B11.13 a source that is no folder has nothing to import', async () => {
  const root = cliProject({ '.claude/agents': 'none', agents: 'none', 'src/mastra': 'none' })
  expect(await refused(root)).toContain('there is nothing to import')
  expect(await refused(root, { source: join(root, 'agents') })).toContain('there is nothing to import')
})

test('B11.13 an import writes all or nothing', async () => {
  const sources = { '.claude/agents/alpha.md': claude('alpha'), '.claude/agents/zed.md': claude('zed') }
  const home = 'src/retinue/agents/assistant'
  const flat = cliProject({ ...sources, 'src/retinue': 'a file' })
  expect(await refused(flat)).toContain('nothing was written: "src/retinue/agents/assistant/subagents/alpha/agent.md"')
  expect(await refused(flat)).toContain('"src/retinue" is no folder')
  const inner = cliProject({ ...sources, [`${home}/subagents/zed`]: 'a file' })
  expect(await refused(inner)).toContain(home)
  const dangling = cliProject({ ...sources, 'src/retinue/agents/x': '' })
  symlinkSync('nowhere', join(dangling, home))
  expect(await refused(dangling)).toContain(home)
  // A link would lead what is written out of the project.
  const linked = cliProject(sources)
  mkdirSync(join(linked, 'src'))
  symlinkSync(cliProject({}), join(linked, 'src/retinue'))
  expect(await refused(linked)).toContain('"src/retinue" is a link')
})
