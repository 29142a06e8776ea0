import { nameProblem } from '@retinue/project'
import { checkAt } from '../check-at.ts'
import { type Command, command, UsageError } from '../command.ts'
import { DEFAULT_MODEL } from '../create/create-project.ts'
import { EXIT } from '../exit-codes.ts'
import { importProject } from '../import/import-project.ts'
import { renderAll } from '../render-findings.ts'
import { wantsColors } from '../wants-colors.ts'

const importCommand: Command = command({
  name: 'import',
  description: 'Bring agents in: .claude/agents/*.md, or a tree of Mastra; what could not be carried over is told',
  args: {
    source: { type: 'positional', required: false, description: 'Where they are (default: this project)' },
    as: {
      type: 'string',
      valueHint: 'name',
      description: 'The agent that delegates to those of .claude/agents (default: assistant)',
    },
    model: {
      type: 'string',
      valueHint: 'provider/model',
      description: `The model of those that name none (default: ${DEFAULT_MODEL})`,
    },
    dir: { type: 'string', valueHint: 'dir', description: 'The application directory to write (default: src/retinue)' },
    json: { type: 'boolean', description: 'Print { files, left } and nothing else' },
  },
  async run({ source = '.', as: supervisor = 'assistant', model = DEFAULT_MODEL, dir: app = 'src/retinue', json }) {
    const problem = nameProblem(supervisor)
    if (problem !== undefined) throw new UsageError(`"${supervisor}" can't be the name of an agent: ${problem}`)
    const { files, left } = await importProject({ source, project: process.cwd(), app, supervisor, model })
    if (json) {
      console.log(JSON.stringify({ files: [...files.keys()], left }, null, 2))
      return files.size === 0 ? EXIT.failed : EXIT.ok
    }
    console.log(files.size === 0 ? 'Nothing was written.' : `Wrote ${files.size} files to ${app}.`)
    for (const { file, line, what, fix } of left)
      console.error(`not carried over: ${file}${line === undefined ? '' : `:${line}`}: ${what}\n  = fix: ${fix}`)
    if (files.size === 0) return EXIT.failed
    const { findings } = await checkAt('.', app)
    if (findings.length > 0)
      console.error(`\nretinue check says:\n\n${renderAll(findings, wantsColors(process.stderr))}`)
    return EXIT.ok
  },
})

export default importCommand
