import { type Command, UsageError, version } from './command.ts'
import { EXIT } from './exit-codes.ts'
import { wantsColors } from './wants-colors.ts'

export { endProcess } from './end-process.ts'

/** A command of the table: its module is imported when it is used, and only then. */
interface CommandEntry {
  readonly summary: string
  load(): Promise<{ readonly default: Command }>
}

/** Every command. A new one is one line here and one file in `commands/`. */
const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map([
  ['create', { summary: 'Make a new project', load: () => import('./commands/create.ts') }],
  ['chat', { summary: 'Talk with an agent in the terminal', load: () => import('./commands/chat.ts') }],
  ['run', { summary: 'Run an agent on a request', load: () => import('./commands/run.ts') }],
  ['approvals', { summary: 'List and decide what runs wait for', load: () => import('./commands/approvals.ts') }],
  ['tasks', { summary: 'List and steer what goes on in the background', load: () => import('./commands/tasks.ts') }],
  [
    'schedules',
    {
      summary: 'List, fire and look back at what agents do by themselves',
      load: () => import('./commands/schedules.ts'),
    },
  ],
  ['check', { summary: 'Find what is wrong with the agents of a project', load: () => import('./commands/check.ts') }],
  [
    'tree',
    { summary: 'Show the agents of a project, their models and tools', load: () => import('./commands/tree.ts') },
  ],
  [
    'dev',
    { summary: 'Serve a folder of agents, and take every change into it', load: () => import('./commands/dev.ts') },
  ],
  [
    'build',
    { summary: 'Check a project and write what runs without its sources', load: () => import('./commands/build.ts') },
  ],
  ['start', { summary: 'Serve what was built', load: () => import('./commands/start.ts') }],
  [
    'import',
    { summary: 'Bring agents in from .claude/agents or from Mastra', load: () => import('./commands/import.ts') },
  ],
  ['explain', { summary: 'Say what a code of check means', load: () => import('./commands/explain.ts') }],
])

/**
 * Runs the command line and gives the exit code: 0 ok, 1 findings or a failure, 2 usage; commands add their own. Data goes to
 * stdout, everything else to stderr.
 */
export async function main(argv: readonly string[]): Promise<number> {
  ignoreClosedPipes()
  const [name, ...rest] = argv
  if (name === '--version' || name === '-v') return print(version())
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    if (name !== undefined) return print(help())
    console.error(help())
    return EXIT.usage
  }
  const entry = COMMANDS.get(name)
  if (entry === undefined) {
    const what = name.startsWith('-') ? 'option' : 'command'
    console.error(`retinue: unknown ${what} "${name}". Known commands: ${[...COMMANDS.keys()].join(', ')}.`)
    return EXIT.usage
  }
  return runCommand(name, (await entry.load()).default, rest)
}

async function runCommand(name: string, command: Command, argv: readonly string[]): Promise<number> {
  const own = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length)
  if (own.includes('--help') || own.includes('-h')) return print(await command.usage(wantsColors(process.stdout)))
  try {
    return await command.run(argv)
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`retinue ${name}: ${error.message}. See "retinue ${name} --help".`)
      return EXIT.usage
    }
    console.error(`retinue ${name}: ${describe(error)}`)
    return EXIT.failed
  }
}

/** A typed error says what to do; of anything else the stack is what helps. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name !== 'RetinueError') return error.stack ?? error.message
  const hint = 'hint' in error && typeof error.hint === 'string' ? `\n${error.hint}` : ''
  return error.message + hint
}

function print(text: string): number {
  console.log(text)
  return EXIT.ok
}

function help(): string {
  const width = Math.max(...[...COMMANDS.keys()].map((name) => name.length))
  const lines = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return `retinue ${version()}: a folder is an agent\n\nUsage: retinue <command> [options]\n\n${lines.join('\n')}\n\nretinue <command> --help says more about a command.`
}

/** `retinue tree | head`: a reader that has seen enough is no failure. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error') > 0) continue
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
