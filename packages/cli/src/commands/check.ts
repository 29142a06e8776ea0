import { plainFinding } from '@retinue/project'
import { checkAt } from '../check-at.ts'
import { type Command, command } from '../command.ts'
import { renderAll, renderSummary, wantsColors } from '../render-findings.ts'

const check: Command = command({
  name: 'check',
  description: 'Find what is wrong with the agents of a project, all at once, with file, line and fix',
  args: {
    path: { type: 'positional', required: false, description: 'The project directory (default: the current one)' },
    json: { type: 'boolean', description: 'Print { findings: [...] } and nothing else' },
    strict: { type: 'boolean', description: 'Warnings make the exit code 1, as errors do' },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ path, json, strict, dir }) {
    const result = await checkAt(path ?? '.', dir)
    const { findings, errors, warnings, agents } = result
    const failed = errors > 0 || (strict === true && warnings > 0)
    if (json) {
      console.log(JSON.stringify({ findings: findings.map(plainFinding) }, null, 2))
      return failed ? 1 : 0
    }
    const colors = wantsColors(process.stdout)
    if (findings.length > 0) console.log(renderAll(findings, colors))
    // The whole wait, from the start of the process: that is what a person feels.
    console.log(renderSummary({ errors, warnings, agents, ms: performance.now(), failed }, colors))
    return failed ? 1 : 0
  },
})

export default check
