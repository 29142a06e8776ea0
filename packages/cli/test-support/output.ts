import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { NODE_MODULES } from './cli-project.ts'

/** Every file of a folder with its bytes, by path: two outputs are equal if these are. */
export function bytesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]))
}

/** A folder of its own, which goes with the test. */
export function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'retinue-output-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Moves an output to a folder of its own, with the packages that it lists and no others beside it. */
export function movedOutput(from: string): string {
  const folder = join(emptyFolder(), 'served')
  cpSync(from, folder, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    const installed = join(NODE_MODULES, name)
    const { version: is } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }
    if (is !== version) throw new Error(`${name}@${version} is listed, and ${is} is installed`)
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(installed, join(folder, 'node_modules', name))
  }
  return folder
}

/** A process that serves. */
export interface Served {
  readonly url: string
  readonly process: ChildProcess
  /** All that it printed, to either stream. */
  printed(): string
  /** Asks it to end, and gives the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts a process and waits for the line that says where it serves; rejects with what it printed if it ends before. */
export async function serving(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Served> {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', PORT: '0', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const ended = once(child, 'exit')
  const told = async (): Promise<string> => {
    for (;;) {
      const url = /https?:\/\/[\w.:-]+/.exec(printed)?.[0]
      if (url !== undefined) return url
      await once(child.stdout, 'data')
    }
  }
  const failed = ended.then(([code]) => {
    throw new Error(`it ended with ${code} before it served:\n${printed}`)
  })
  failed.catch(() => {})
  const url = await Promise.race([told(), failed])
  return {
    url,
    process: child,
    printed: () => printed,
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      return (await ended)[0] as number | null
    },
  }
}

/** Asks an agent over HTTP, and gives the answer's text. */
export async function ask(url: string, agent: string, prompt: string, token?: string): Promise<string> {
  const response = await fetch(`${url}/api/agents/${agent}/generate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ input: prompt }),
  })
  const body = (await response.json()) as { text?: string; message?: string }
  if (!response.ok) throw new Error(`${response.status}: ${JSON.stringify(body)}`)
  return body.text ?? ''
}
