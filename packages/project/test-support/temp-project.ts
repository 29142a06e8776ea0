import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { checkProject } from '../src/check-project.ts'
import { examine } from '../src/examine.ts'
import { type Finding, plainFinding } from '../src/findings/finding.ts'
import { InProcessLoader } from '../src/load/in-process-loader.ts'
import { DiskTree } from '../src/tree/disk-tree.ts'

/** Text or bytes of a file, where a link points, or `null` for an empty folder. */
export type FileContent = string | Uint8Array | { link: string } | null

export type Files = Readonly<Record<string, FileContent>>

const NODE_MODULES = join(import.meta.dirname, '../../../node_modules')

/** A project in a folder of its own, which goes with the test. Paths are relative to the project; packages are those of the repository. */
export function tempProject(files: Files): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'retinue-project-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  symlinkSync(NODE_MODULES, join(root, 'node_modules'))
  writeFiles(root, { 'package.json': '{"name":"t","private":true,"type":"module"}', ...files })
  return root
}

function writeFiles(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(content === null ? file : dirname(file), { recursive: true })
    if (content === null) continue
    if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(file, content)
    else symlinkSync(content.link, file)
  }
}

/** The same files below a folder. */
export function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]))
}

/** A project whose application holds the agents. */
export function agentsProject(agents: Files): string {
  return tempProject(below('src/retinue/agents', agents))
}

/** A config module. `fields` is what stands between the braces. */
export function config(fields: string = "model: 'openai/gpt-5.5'"): string {
  return `import { agentConfig } from '@retinue/core/agent'\nexport default agentConfig({ ${fields} })\n`
}

export const MODEL = "model: 'openai/gpt-5.5'"

/** The config of a subagent that is in order. Siblings need different words for `part`. */
export function subagentConfig(more: string = '', part: string = 'its part'): string {
  return config(`${MODEL}, description: 'Does ${part} of the work.'${more === '' ? '' : `, ${more}`}`)
}

export function tool(id: string = 'tool'): string {
  return `import { createTool } from '@retinue/core/tools'\nexport default createTool({ id: '${id}', description: 'A tool.', execute: async () => 'done' })\n`
}

/** An agent that is in order, in the folder `dir`. */
export function agent(dir: string, more: Files = {}): Files {
  const isSubagent = dir.includes('subagents/')
  const part = `part ${Buffer.from(basename(dir)).toString('hex')}`
  return {
    [`${dir}/config.ts`]: isSubagent ? subagentConfig('', part) : config(),
    [`${dir}/instructions.md`]: 'Work.\n',
    ...below(dir, more),
  }
}

/** All findings of a project, its modules loaded by this process. */
export async function findingsIn(root: string, dir?: string): Promise<Finding[]> {
  const { findings } = await examine(new DiskTree(root), new InProcessLoader(root), dir)
  return findings.map(plainFinding)
}

/** All findings of agents that stand in `src/retinue/agents`, with paths relative to that folder. */
export async function findingsOf(agents: Files): Promise<Finding[]> {
  const shorten = (text: string): string => text.replaceAll('src/retinue/agents/', '')
  const found = await findingsIn(agentsProject(agents))
  return found.map((finding) => ({
    ...finding,
    file: shorten(finding.file),
    message: shorten(finding.message),
    fix: shorten(finding.fix),
  }))
}

/** Findings as text, one line for what and where, one for what to do: exact, and readable where they are expected. */
export function told(findings: readonly Finding[]): string {
  return findings
    .map(({ code, severity, message, file, line, column, agentPath, fix }) => {
      const who = agentPath.length === 0 ? 'the application' : agentPath.join(' > ')
      return `${severity}[${code}] ${file}:${line}:${column} (${who})\n  ${message}\n  fix: ${fix}`
    })
    .join('\n')
}

/** What `check` would say of these agents, in short. */
export async function toldOf(files: Files): Promise<string> {
  return told(await findingsOf(files))
}

/** The codes of a project's findings, sorted; fails if modules loaded in this process give other findings than in one of their own. */
export async function codesOfBoth(root: string): Promise<string[]> {
  const { findings } = await checkProject(root)
  expect(findings.map(plainFinding)).toEqual(await findingsIn(root))
  return findings.map(({ code }) => code).sort()
}
