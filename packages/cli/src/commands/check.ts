import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { type CheckResult, diagnosticPage, plainFinding, renderGithub, toSarif } from '@retinue/project'
import { checkAt, watchAt } from '../check-at.ts'
import { type Command, command, UsageError, version } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { renderAll, renderSummary } from '../render-findings.ts'
import { wantsColors } from '../wants-colors.ts'

/** What `--format` may be. */
const FORMATS = ['text', 'json', 'github', 'sarif'] as const
type Format = (typeof FORMATS)[number]

const check: Command = command({
  name: 'check',
  description: 'Find what is wrong with the agents of a project, all at once, with file, line and fix',
  args: {
    path: { type: 'positional', required: false, description: 'The project directory (default: the current one)' },
    json: { type: 'boolean', description: 'Print { findings: [...] } and nothing else; the same as --format=json' },
    format: {
      type: 'string',
      valueHint: FORMATS.join('|'),
      description: 'github: workflow commands, which become annotations; sarif: a SARIF 2.1.0 log (default: text)',
    },
    strict: { type: 'boolean', description: 'Warnings make the exit code 1, as errors do' },
    watch: { type: 'boolean', description: 'Check again after every change, until Ctrl-C' },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ path = '.', json, format: given, strict, watch, dir }) {
    const format = formatOf(given, json === true)
    if (watch && format !== 'text')
      throw new UsageError(`"--watch" prints for people: leave out the format "${format}"`)
    const isStrict = strict === true
    if (watch) return watchUntilInterrupted(path, dir, isStrict)
    const result = await checkAt(path, dir)
    // The whole wait, from the start of the process: that is what a person feels.
    if (format === 'text') printText(result, isStrict, performance.now())
    else await printFor[format](result, path)
    return isFailed(result, isStrict) ? EXIT.failed : EXIT.ok
  },
})

export default check

function formatOf(given: string | undefined, json: boolean): Format {
  const format = FORMATS.find((known) => known === (given ?? (json ? 'json' : 'text')))
  if (format === undefined) throw new UsageError(`there is no format "${given}"; known are ${FORMATS.join(', ')}`)
  if (json && format !== 'json') throw new UsageError(`"--json" and "--format=${format}" are two formats`)
  return format
}

function isFailed({ errors, warnings }: CheckResult, strict: boolean): boolean {
  return errors > 0 || (strict && warnings > 0)
}

function printText(result: CheckResult, strict: boolean, ms: number): void {
  const { findings, errors, warnings, agents } = result
  const colors = wantsColors(process.stdout)
  if (findings.length > 0) console.log(renderAll(findings, colors))
  console.log(renderSummary({ errors, warnings, agents, ms, failed: isFailed(result, strict) }, colors))
}

/** The formats for programs. */
const printFor: Readonly<Record<Exclude<Format, 'text'>, (result: CheckResult, path: string) => void | Promise<void>>> =
  {
    json({ findings }) {
      console.log(JSON.stringify({ findings: findings.map(plainFinding) }, null, 2))
    },
    github({ findings }, path) {
      if (findings.length > 0) console.log(renderGithub(findings, fromRepository(path)))
    },
    async sarif({ findings }, path) {
      const pages = await Promise.all([...new Set(findings.map(({ code }) => code))].map(diagnosticPage))
      const rules = pages.filter((page) => page !== undefined)
      const log = toSarif(findings, { version: version(), rules, pathOf: fromRepository(path) })
      console.log(JSON.stringify(log, null, 2))
    },
  }

/** Paths as the repository knows them: from GitHub's checkout, else from where the command runs, else from the project. */
function fromRepository(path: string): (file: string) => string {
  const project = realpathSync(resolve(path))
  for (const base of [process.env['GITHUB_WORKSPACE'], process.cwd()]) {
    if (!base || !existsSync(base)) continue
    const way = relative(realpathSync(base), project).replaceAll('\\', '/')
    if (way === '') break
    if (!isAbsolute(way) && way !== '..' && !way.startsWith('../')) return (file) => `${way}/${file}`
  }
  return (file) => file
}

async function watchUntilInterrupted(path: string, dir: string | undefined, strict: boolean): Promise<number> {
  const controller = new AbortController()
  // A second Ctrl-C ends the process as ever.
  process.once('SIGINT', () => controller.abort())
  let isFirst = true
  await watchAt(path, dir, controller.signal, (result, ms) => {
    printText(result, strict, isFirst ? performance.now() : ms)
    if (isFirst) console.error('Watching for changes; Ctrl-C ends it.')
    isFirst = false
  })
  return EXIT.interrupted
}
