import { relative } from 'node:path'
import { isRetinueError } from '@retinue/core/errors'
import { printable } from '@retinue/project'
import { type BuildOutput, buildProject, type Missing } from '../build/build-project.ts'
import { localPath } from '../build/installed-from.ts'
import { type Command, command, UsageError } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { renderAll, renderSummary } from '../render-findings.ts'
import { wantsColors } from '../wants-colors.ts'

const build: Command = command({
  name: 'build',
  description: 'Check a project, then write what runs without its sources: node .retinue/output',
  args: {
    path: { type: 'positional', required: false, description: 'The project directory (default: the current one)' },
    out: { type: 'string', valueHint: 'dir', description: 'Where to put the output (default: .retinue/output)' },
    strict: { type: 'boolean', description: 'Warnings end it with exit code 1, as errors do' },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ path = '.', out, strict, dir }) {
    const { check, missing, output } = await built({ path, out, dir, strict: strict === true })
    const colors = wantsColors(process.stderr)
    if (check.findings.length > 0) console.error(renderAll(check.findings, colors))
    const { errors, warnings, agents } = check
    const failed = output === undefined
    console.error(renderSummary({ errors, warnings, agents, ms: performance.now(), failed }, colors))
    for (const warning of warningsOf(missing)) console.error(warning)
    if (output === undefined) return EXIT.failed
    tell(output)
    return EXIT.ok
  },
})

export default build

/** A project that is not where the command line says is a slip of the finger. */
async function built(options: Parameters<typeof buildProject>[0]): ReturnType<typeof buildProject> {
  try {
    return await buildProject(options)
  } catch (error) {
    if (isRetinueError(error, 'project-invalid')) throw new UsageError(error.message.replace(/\.$/, ''))
    throw error
  }
}

function tell({ folder, bytes, dependencies }: BuildOutput): void {
  const place = relative(process.cwd(), folder) || '.'
  const names = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
  console.log(`${place}  ${Math.round(bytes / 1024)} kB`)
  if (names.length > 0) console.log(`To be installed beside it: ${names.join(', ')}  (npm install --prefix ${place})`)
  const taken = takenAlong(dependencies)
  if (taken.length > 0)
    console.log(printable(`If it is moved, take along to the same place as seen from it: ${taken.join(', ')}`))
  console.log(`Start it with: node ${place}`)
}

/** What is installed from a file or folder is listed by its path from the output: one that is moved alone does not find it. */
function takenAlong(dependencies: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(dependencies).flatMap(([name, source]) => {
    const path = localPath(source)
    return path === undefined ? [] : `${path} (${name})`
  })
}

function warningsOf({ open, unfollowed, unordered, left }: Missing): string[] {
  const warnings = unfollowed.map(
    ({ file, line, what, fix }) =>
      `warning: what it asks for can't be seen, and is not taken along: ${file}:${line}: ${what}\n  = fix: ${fix}`,
  )
  if (open.length > 0)
    warnings.push(
      `warning: which files are read from beside them can't be seen: ${listed(open)}\n  = fix: name the files and folders in package.json: "retinue": { "include": ["FOLDER"] }`,
    )
  if (unordered.length > 0)
    warnings.push(
      `warning: what an import() or a worker shares with others may run before them, because these import each other and wait for an await at the top of a module: ${listed(unordered)}\n  = fix: break the circle, or put what is awaited into a function`,
    )
  if (left.length > 0)
    warnings.push(
      `warning: left out, because it may hold secrets or is no source: ${listed(left)}\n  = fix: set variables where it is started; a file that may be shipped is named in package.json: "retinue": { "include": ["FILE"] }`,
    )
  return warnings.map(printable)
}

/** Three of them, and how many there are. */
function listed(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}
