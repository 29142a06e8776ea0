import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { ArgsDef, CommandDef, ParsedArgs } from 'citty'
import { parseArgs, renderUsage } from 'citty'
import { UsageError } from './usage-error.ts'

/** A command, as the table of commands holds it: what it is called with is its own business. */
export interface Command {
  /** Takes the arguments after the command's name; gives the exit code. Throws `UsageError` for arguments that make no sense. */
  run(argv: readonly string[]): Promise<number>
  /** What it can be called with, as a terminal shows it, or plain text. */
  usage(colors: boolean): Promise<string>
}

export { UsageError }

/** The version of the command line. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const found =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined
  return String(found)
}

export interface CommandOptions<A extends ArgsDef> {
  name: string
  description: string
  args: A
  run(args: ParsedArgs<A>): Promise<number>
}

/** Makes a command. Options that it does not declare are errors: a slip of the finger must not change what is done. */
export function command<const A extends ArgsDef>(options: CommandOptions<A>): Command {
  const { name, description, args: declared, run } = options
  const definition: CommandDef<A> = { meta: { name, description }, args: declared }
  return {
    async run(argv) {
      assertKnown(argv, declared)
      return run(parse<A>(argv, declared))
    },
    async usage(colors) {
      const text = await renderUsage(definition, { meta: { name: 'retinue' } })
      // It is rendered for a terminal, whatever it is written to.
      return colors ? text : stripVTControlCharacters(text)
    },
  }
}

function parse<A extends ArgsDef>(argv: readonly string[], declared: A): ParsedArgs<A> {
  try {
    return parseArgs<A>([...argv], declared)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function assertKnown(argv: readonly string[], declared: ArgsDef): void {
  const entries = Object.entries(declared)
  let positionals = 0
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? ''
    if (argument === '--') {
      positionals += argv.length - at - 1
      break
    }
    if (!argument.startsWith('-') || argument === '-') {
      positionals++
      continue
    }
    const [flag = '', value] = argument.split(/=(.*)/s, 2)
    const entry = entries.find(([name, definition]) => flagsOf(name, definition).includes(flag))
    if (entry === undefined) throw new UsageError(`unknown option "${flag}"`)
    const [, definition] = entry
    const takesValue = definition.type === 'string' || definition.type === 'enum'
    if (!takesValue && value !== undefined) throw new UsageError(`option "${flag}" takes no value`)
    if (!takesValue || value !== undefined) continue
    at++
    if (argv[at] === undefined || argv[at]?.startsWith('--')) throw new UsageError(`option "${flag}" needs a value`)
  }
  const accepted = entries.filter(([, { type }]) => type === 'positional').length
  if (positionals > accepted) throw new UsageError(accepted === 0 ? 'no arguments are expected' : 'too many arguments')
}

function flagsOf(name: string, { type, ...rest }: ArgsDef[string]): string[] {
  if (type === 'positional') return []
  const alias = 'alias' in rest ? rest.alias : undefined
  const aliases = alias === undefined ? [] : Array.isArray(alias) ? alias : [alias]
  return [`--${name}`, ...aliases.map((short) => (short.length === 1 ? `-${short}` : `--${short}`))]
}
