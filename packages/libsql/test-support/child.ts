import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Child {
  /** Lines that it has printed so far. */
  readonly lines: readonly string[]
  /** Resolves when it ends; rejects with what it said on stderr if it fails for another reason than SIGKILL. */
  readonly ended: Promise<void>
  /** Resolves when it has printed so many lines, or has ended. */
  printed(count: number): Promise<void>
  /** Writes a line to its stdin. */
  say(line: string): void
  kill(): void
}

interface ChildOptions {
  /** As which user it runs. Default: as this process. */
  readonly uid?: number
  /** Shell commands that come before it, such as limits. */
  readonly limits?: string
}

/** A script of this folder as a process of its own, with one argument, as JSON. */
export function child(script: string, argument: unknown, { uid, limits }: ChildOptions = {}): Child {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const command = [process.execPath, '--conditions=@retinue/source', file, JSON.stringify(argument)]
  const [program = '', ...parameters] = limits ? ['bash', '-c', `${limits}; exec "$@"`, 'bash', ...command] : command
  const options = { env: { ...process.env, NODE_OPTIONS: '' }, ...(uid === undefined ? {} : { uid, gid: uid }) }
  const started = spawn(program, parameters, options)
  const lines: string[] = []
  let onLines = (): void => {}
  let rest = ''
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    onLines()
  })
  let said = ''
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = new Promise<void>((resolve, reject) => {
    started.on('error', reject)
    started.on('close', (code, signal) =>
      code === 0 || signal === 'SIGKILL' ? resolve() : reject(new Error(`${script} ended with ${code}: ${said}`)),
    )
  })
  return {
    lines,
    ended,
    printed: (count) => {
      const enough = new Promise<void>((resolve) => {
        onLines = () => {
          if (lines.length >= count) resolve()
        }
        onLines()
      })
      return Promise.race([enough, ended])
    },
    say: (line) => void started.stdin.write(`${line}\n`),
    kill: () => started.kill('SIGKILL'),
  }
}
