import { type AgentDescription, printable } from '@retinue/project'
import picocolors from 'picocolors'
import { checkAt } from '../check-at.ts'
import { type Command, command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { renderAll } from '../render-findings.ts'
import { wantsColors } from '../wants-colors.ts'

const tree: Command = command({
  name: 'tree',
  description: 'Show the agents of a project, their models and tools',
  args: {
    path: { type: 'positional', required: false, description: 'The project directory (default: the current one)' },
    json: { type: 'boolean', description: 'Print { agents: [...] } and nothing else' },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ path, json, dir }) {
    const { findings, errors, tree: found } = await checkAt(path ?? '.', dir)
    if (errors > 0) {
      const shown = findings.filter(({ severity }) => severity === 'error')
      console.error(renderAll(shown, wantsColors(process.stderr)))
    }
    // What could be read is shown even so: it is what the person is looking at while they mend the rest.
    if (json) console.log(JSON.stringify(found, null, 2))
    else if (found.agents.length > 0) console.log(renderTree(found.agents, wantsColors(process.stdout)))
    return errors > 0 ? EXIT.failed : EXIT.ok
  },
})

export default tree

function renderTree(agents: readonly AgentDescription[], colors: boolean): string {
  const { bold, dim, cyan, red } = picocolors.createColors(colors)
  const lines: string[] = []
  const visit = ({ key, model, tools, agents: children, inCode, repeated }: AgentDescription, depth: number): void => {
    const indent = '  '.repeat(depth)
    const parts = [bold(printable(key))]
    if (!repeated) parts.push(model === undefined ? red('(no model)') : cyan(printable(model)))
    if (!repeated && tools.length > 0) parts.push(dim(`tools: ${printable(tools.join(', '))}`))
    const marks = [...(inCode ? ['in code'] : []), ...(repeated ? ['shown elsewhere'] : [])]
    if (marks.length > 0) parts.push(dim(`(${marks.join(', ')})`))
    lines.push(indent + parts.join('  '))
    for (const child of children) visit(child, depth + 1)
  }
  for (const agent of agents) visit(agent, 0)
  return lines.join('\n')
}
