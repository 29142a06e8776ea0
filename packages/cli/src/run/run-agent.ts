import { isModelUnavailable } from '@retinue/core'
import type { Agent, RunResult } from '@retinue/core/agent'
import { isRetinueError, RetinueError } from '@retinue/core/errors'
import { loadProject } from '@retinue/project'
import { EXIT } from '../exit-codes.ts'
import { loadEnvFiles } from '../load-env.ts'
import { modelChooser } from './choose-model.ts'
import { ReportCollector } from './run-report.ts'
import { RunView } from './run-view.ts'

export interface RunAgentOptions {
  /** The project's directory. */
  cwd: string
  agent: string
  request: string
  model?: string | undefined
  dir?: string | undefined
  json: boolean
  color: boolean
  out: (text: string) => void
  err: (text: string) => void
}

/** Runs an agent of a project on a request, shows its delegations while they happen, then prints the answer. Gives the exit code. */
export async function runAgent(options: RunAgentOptions): Promise<number> {
  const { cwd, out, err } = options
  try {
    loadEnvFiles(cwd)
    const { agents } = await loadProject(cwd, options.dir === undefined ? {} : { dir: options.dir })
    const agent = agents[options.agent]
    if (!agent) throw unknownAgent(options.agent, Object.keys(agents))
    return await runToEnd(agent, options)
  } catch (error) {
    if (!isRetinueError(error)) throw error
    if (options.json) out(`${JSON.stringify({ error: error.toJSON() }, null, 2)}\n`)
    err(errorText(error))
    return exitCodeOf(error)
  }
}

async function runToEnd(agent: Agent, options: RunAgentOptions): Promise<number> {
  const { request, json, color, out, err } = options
  const stream = await agent.stream(request, { resolveModel: modelChooser(options.model, process.env) })
  const interrupt = (): void => stream.abort('interrupted')
  process.once('SIGINT', interrupt)
  const view = new RunView({ print: (line) => err(`${line}\n`), now: () => performance.now(), color })
  const collector = new ReportCollector()
  try {
    for await (const chunk of stream.events) {
      collector.add(chunk)
      view.show(chunk)
    }
  } finally {
    process.removeListener('SIGINT', interrupt)
  }
  const result = await stream.result
  if (json) out(`${JSON.stringify(collector.report(options.agent, request, result), null, 2)}\n`)
  else if (result.text.trim() !== '') out(`${process.stdout.isTTY ? '\n' : ''}${result.text.trimEnd()}\n`)
  if (result.error) err(errorText(result.error))
  else if (result.finishReason !== 'stop' && result.finishReason !== 'aborted')
    err(`The run ended with ${result.finishReason}: the answer may be unfinished.\n`)
  return exitCode(result)
}

function exitCode({ finishReason, error }: RunResult): number {
  if (finishReason === 'aborted') return EXIT.interrupted
  if (error) return exitCodeOf(error)
  return finishReason === 'stop' ? EXIT.ok : EXIT.failed
}

function exitCodeOf(error: RetinueError): number {
  if (error.code === 'agent-unknown') return EXIT.usage
  return isModelUnavailable(error) ? EXIT.modelUnavailable : EXIT.failed
}

function unknownAgent(name: string, known: string[]): RetinueError {
  return new RetinueError({
    code: 'agent-unknown',
    message: `There is no agent "${name}" in this project.`,
    hint: known.length === 0 ? 'It has no agents yet.' : `Its agents are ${known.join(', ')}.`,
  })
}

function errorText({ code, message, hint }: RetinueError): string {
  return `error[${code}]: ${message}\n${hint === undefined ? '' : `  = fix: ${hint}\n`}`
}
