/** Options of Node that decide how modules are found and read, and whether somebody else than Node has a say in that then. */
const OPTIONS: readonly { readonly name: RegExp; readonly isPlain: boolean }[] = [
  { name: /^(?:-C|--conditions)$/, isPlain: true },
  { name: /^(?:-r|--require|--import|--loader|--experimental-loader)$/, isPlain: false },
  { name: /^--preserve-symlinks(?:-main)?$/, isPlain: false },
  { name: /^--(?:no-)?[a-z-]*strip-types$/, isPlain: false },
]

/** Those of this process that one which loads a project's modules needs, too; not those of a debugger or a test runner. */
export function inheritedOptions(options: readonly string[] = process.execArgv): string[] {
  return options.flatMap((option, at) => {
    if (optionOf(option) === undefined) return []
    const next = options[at + 1]
    const value = !option.includes('=') && next !== undefined && !next.startsWith('-') ? [next] : []
    return [option, ...value]
  })
}

/** Whether Node alone decides how this process finds and reads modules. */
export function isPlainProcess(
  options: readonly string[] = process.execArgv,
  variable: string = process.env['NODE_OPTIONS'] ?? '',
): boolean {
  return [...options, ...variable.split(/\s+/)].every((option) => optionOf(option)?.isPlain ?? true)
}

function optionOf(option: string): (typeof OPTIONS)[number] | undefined {
  const [name = ''] = option.split('=', 1)
  return OPTIONS.find((known) => known.name.test(name))
}
