import { relative } from 'node:path'
import { isRetinueError } from '@retinue/core/errors'
import { type BuildOutput, buildProject } from '../build/build-project.ts'
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
    const { check, output } = await built({ path, out, dir, strict: strict === true })
    const colors = wantsColors(process.stderr)
    if (check.findings.length > 0) console.error(renderAll(check.findings, colors))
    const { errors, warnings, agents } = check
    const failed = output === undefined
    console.error(renderSummary({ errors, warnings, agents, ms: performance.now(), failed }, colors))
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

function tell({ folder, bytes, dependencies, open }: BuildOutput): void {
  const place = relative(process.cwd(), folder) || '.'
  if (open.length > 0) {
    const which = open.length > 3 ? `${open.slice(0, 3).join(', ')} and ${open.length - 3} more` : open.join(', ')
    console.error(`warning: which files are read from beside them can't be seen: ${which}`)
    console.error('  = fix: name the files and folders in package.json: "retinue": { "include": ["FOLDER"] }')
  }
  const names = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
  console.log(`${place}  ${Math.round(bytes / 1024)} kB`)
  if (names.length > 0) console.log(`To be installed beside it: ${names.join(', ')}  (npm install --prefix ${place})`)
  console.log(`Start it with: node ${place}`)
}
