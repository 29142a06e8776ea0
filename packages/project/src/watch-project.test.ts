import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { agent, agentsProject, below, tempProject } from '../test-support/temp-project.ts'
import { watchProject } from './check-project.ts'
import { findFiles, settleFiles } from './discover/discover.ts'
import { onEveryChange } from './every-change.ts'
import { DiskTree } from './tree/disk-tree.ts'

// Each check starts a process, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

interface Watching {
  /** What is noted of the project's files the next time that they are looked at. */
  next(): Promise<string[]>
  /** How often they were looked at. */
  count(): number
  end(): Promise<void>
}

/** Discovery alone, on every change: it starts no process. */
function watching(root: string, dir?: string): Watching {
  const controller = new AbortController()
  const seen: string[][] = []
  let taken = 0
  let wake = (): void => {}
  const ended = onEveryChange({ root, dir, signal: controller.signal }, async () => {
    const { application, agents, notes, modules } = settleFiles(findFiles(new DiskTree(root), dir))
    const all = [...notes, ...agents.flatMap((agent) => agent.notes)]
    const stray = all.map((note) => ('path' in note ? `${note.path.split('/').at(-1)}` : note.kind))
    const texts = modules.files().map((file) => modules.shape(file)?.text ?? '')
    seen.push(application.ok ? [...stray, ...texts.filter((text) => text.startsWith('//'))] : ['no application'])
    wake()
    return modules.files()
  })
  const end = async (): Promise<void> => {
    controller.abort()
    await ended
  }
  onTestFinished(end)
  return {
    async next() {
      while (seen.length <= taken) await new Promise<void>((resolve) => (wake = resolve))
      return seen[taken++] ?? []
    },
    count: () => seen.length,
    end,
  }
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const AGENTS = 'src/retinue/agents'

test('B11.13 a file that counts may be a link: what it leads to is watched, and where it leads', async () => {
  const root = agentsProject(agent('sup'))
  const beside = `${root}-envs`
  onTestFinished(() => rmSync(beside, { recursive: true }))
  write(beside, 'one', 'one')
  write(beside, 'two', 'two')
  symlinkSync('one', join(beside, 'current'))
  symlinkSync(`../${basename(beside)}/current`, join(root, '.env'))
  const controller = new AbortController()
  const seen: string[] = []
  const changes = [
    () => write(beside, 'one', 'changed'),
    () => {
      symlinkSync('two', join(beside, 'next'))
      renameSync(join(beside, 'next'), join(beside, 'current'))
    },
    () => write(beside, 'two', 'last'),
    () => controller.abort(),
  ]
  await onEveryChange({ root, dir: undefined, signal: controller.signal, files: ['.env'] }, async () => {
    seen.push(readFileSync(join(root, '.env'), 'utf8'))
    setTimeout(() => changes.shift()?.())
    return []
  })
  expect(seen).toEqual(['one', 'changed', 'two', 'last'])
})

test('B11.11 a change, a new file in a new folder, and what is removed are seen', async () => {
  const root = agentsProject(agent('sup'))
  const { next } = watching(root)
  expect(await next()).toEqual([])
  write(root, `${AGENTS}/sup/config.ts`, '// changed\n')
  expect(await next()).toEqual(['// changed\n'])
  write(root, `${AGENTS}/sup/subagents/kid/tools/deep/a.txt`, '')
  expect(await next()).toEqual(['kid', '// changed\n'])
  write(root, `${AGENTS}/sup/subagents/kid/tools/config.ts`, '')
  write(root, `${AGENTS}/sup/subagents/kid/config.ts`, '// new\n')
  expect(await next()).toContain('// new\n')
  rmSync(join(root, AGENTS, 'sup/subagents'), { recursive: true })
  expect(await next()).toEqual(['// changed\n'])
})

test('B11.11 a folder that went and came again is watched as before', async () => {
  const root = agentsProject({ ...agent('sup'), ...agent('other') })
  const { next } = watching(root)
  await next()
  renameSync(join(root, AGENTS, 'sup'), join(root, 'aside'))
  mkdirSync(join(root, AGENTS, 'sup'))
  expect(await next()).toEqual(['sup'])
  write(root, `${AGENTS}/sup/instructions.md`, 'Work.\n')
  expect(await next()).toEqual([])
})

test.each(['.', '..'])(
  'B11.13 the root or what is above it (%s) went and came again: it is watched as before',
  async (up) => {
    const above = tempProject(below(`in/project/${AGENTS}`, agent('sup')))
    const root = join(above, 'in/project')
    const moved = join(root, up)
    const { next } = watching(root)
    expect(await next()).toEqual([])
    renameSync(moved, join(above, 'aside'))
    expect(await next()).toEqual(['no application'])
    cpSync(join(above, 'aside'), moved, { recursive: true })
    expect(await next()).toEqual([])
    write(root, `${AGENTS}/sup/config.ts`, '// changed\n')
    expect(await next()).toEqual(['// changed\n'])
    // Back before anybody looked, too.
    renameSync(moved, join(above, 'again'))
    cpSync(join(above, 'again'), moved, { recursive: true })
    expect(await next()).toEqual(['// changed\n'])
    write(root, `${AGENTS}/sup/config.ts`, '// last\n')
    expect(await next()).toEqual(['// last\n'])
  },
)

test('B11.11 a burst of changes is one check', async () => {
  const root = agentsProject(agent('sup'))
  const { next, count } = watching(root)
  await next()
  for (let at = 0; at < 20; at++) write(root, `${AGENTS}/sup/stray${at}.txt`, '')
  expect(await next()).toHaveLength(20)
  write(root, 'notes.md', 'x')
  write(root, `${AGENTS}/sup/stray20.txt`, '')
  expect(await next()).toHaveLength(21)
  expect(count()).toBe(3)
})

test('B11.11 an application that is not there yet, a package.json, and a helper that stands elsewhere', async () => {
  const root = tempProject({ 'src/lib/models.ts': '// one\n' })
  const { next } = watching(root)
  expect(await next()).toEqual(['no application'])
  const files = below(AGENTS, agent('sup', { 'config.ts': "import '../../../lib/models.ts'\n" }))
  for (const [path, text] of Object.entries(files)) write(root, path, String(text))
  expect(await next()).toEqual(['// one\n'])
  write(root, 'src/lib/models.ts', '// two\n')
  expect(await next()).toEqual(['// two\n'])
  write(root, 'package.json', '{}')
  expect(await next()).toEqual(['// two\n'])
})

test('B11.11 --dir is watched instead', async () => {
  const root = tempProject(below('app/agents', agent('sup')))
  const { next } = watching(root, 'app')
  await next()
  write(root, 'app/agents/sup/stray.txt', '')
  expect(await next()).toEqual(['stray.txt'])
})

function watchers(): number {
  return process.getActiveResourcesInfo().filter((name) => name.includes('FSEvent')).length
}

/** Handles are given back some turns after they were closed. */
async function expectNoWatchers(): Promise<void> {
  await vi.waitUntil(() => watchers() === 0)
}

test('B11.11 folders that are passed over are not watched', async () => {
  const quiet = { '.cache/a/b.json': '{}', 'node_modules/c/d/index.js': '', '__tests__/e.ts': '' }
  const counts: number[] = []
  for (const files of [agent('sup'), agent('sup', quiet)]) {
    await expectNoWatchers()
    const { next, end } = watching(agentsProject(files))
    await next()
    counts.push(watchers())
    await end()
  }
  expect(counts[1]).toBe(counts[0])
})

test('B11.11 at the end no watcher is left', async () => {
  await expectNoWatchers()
  const { next, end } = watching(agentsProject(agent('sup')))
  await next()
  expect(watchers()).toBeGreaterThan(0)
  await end()
  await expectNoWatchers()
})

test('B11.11 watchProject gives the findings anew, and ends in the middle of a check that would take for ever', async () => {
  const root = agentsProject(agent('sup'))
  const controller = new AbortController()
  const results: string[][] = []
  await watchProject(root, { signal: controller.signal, timeoutMs: 60_000 }, ({ findings }) => {
    results.push(findings.map(({ code }) => code))
    write(root, `${AGENTS}/sup/stray.txt`, '')
    if (results.length < 2) return
    const begin = "import { writeFileSync } from 'node:fs'\nwriteFileSync('begun', '')\n"
    write(root, `${AGENTS}/sup/tools/a.ts`, `${begin}await new Promise(() => {})\n`)
    const begun = vi.waitUntil(() => existsSync(join(root, 'begun')), { timeout: 30_000 })
    void begun.then(() => controller.abort())
  })
  expect(results).toEqual([[], ['entry-ignored']])
  await expectNoWatchers()
})

test('B11.11 R21 watchProject follows what modules load and read elsewhere, and what is not there yet', async () => {
  const above = tempProject({ 'lib/beyond.ts': 'export const beyond = 1\n', 'lib/inner.cjs': 'module.exports = 1\n' })
  const root = join(above, 'project')
  const files = below(`project/${AGENTS}`, agent('sup'))
  const tool =
    "import { createTool } from '@retinue/core/tools'\nexport default createTool({ id: 'a', description: 'x', execute: () => 1 })\n"
  for (const [path, text] of Object.entries(files)) write(above, path, String(text))
  write(above, 'lib/common.cjs', "require('./inner.cjs')\n")
  const lib = '../../../../../../lib'
  write(
    root,
    `${AGENTS}/sup/tools/a.ts`,
    `import '${lib}/beyond.ts'\nimport '${lib}/common.cjs'\nimport '${lib}/later.ts'\nnew URL('${lib}/read', import.meta.url)\n${tool}`,
  )
  const edits = [
    () => write(above, 'lib/later.ts', ''),
    () => write(above, 'lib/inner.cjs', 'throw new Error("no")\n'),
    () => write(above, 'lib/read/deep/a.txt', ''),
  ]
  const controller = new AbortController()
  const results: string[][] = []
  await watchProject(root, { signal: controller.signal, timeoutMs: 60_000 }, ({ findings }) => {
    results.push(findings.map(({ code }) => code))
    const edit = edits.shift()
    if (edit === undefined) controller.abort()
    else edit()
  })
  expect(results).toEqual([['module-failed'], [], ['module-failed'], ['module-failed']])
})

test('B11.13 a newer change ends a look that takes long, and the next one has more time', async () => {
  const root = agentsProject(agent('sup'))
  const controller = new AbortController()
  const looks: string[] = []
  await onEveryChange({ root, dir: undefined, signal: controller.signal, patienceMs: 1 }, async ({ superseded }) => {
    const hangs = looks.length < 2
    write(root, `${AGENTS}/sup/stray${looks.length}.txt`, '')
    if (hangs) await new Promise((resolve) => superseded.addEventListener('abort', resolve))
    looks.push(superseded.aborted ? 'superseded' : 'whole')
    if (looks.length === 3) controller.abort()
    return []
  })
  expect(looks).toEqual(['superseded', 'superseded', 'whole'])
})

test('B11.11 what is no project is told, and nothing is watched', async () => {
  const { signal } = new AbortController()
  await expect(watchProject('/nowhere', { signal }, () => {})).rejects.toMatchObject({ code: 'project-invalid' })
})
