import { randomUUID } from 'node:crypto'
import type { Agent } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import { modelChooser } from './choose-model.ts'
import { LOCAL_RESOURCE } from './default-storage.ts'
import { openApplication } from './open-application.ts'
import { errorText, exitCode, exitCodeOf } from './run-end.ts'
import { ReportCollector } from './run-report.ts'
import { RunView } from './run-view.ts'

export interface RunAgentOptions {
  /** The project's directory. */
  cwd: string
  agent: string
  request: string
  model?: string | undefined
  dir?: string | undefined
  /** The conversation to go on with. Default: a new one. */
  thread?: string | undefined
  json: boolean
  color: boolean
  out: (text: string) => void
  err: (text: string) => void
  /** Rejects when the process can't be trusted to go on. */
  fatal?: Promise<never>
}

/** Runs an agent of a project on a request, shows its delegations while they happen, then prints the answer. Gives the exit code. */
export async function runAgent(options: RunAgentOptions): Promise<number> {
  const { out, err, fatal } = options
  try {
    const ended = openApplication(options).then(({ agent, close }) => runToEnd(agent, options).finally(close))
    return await (fatal === undefined ? ended : Promise.race([ended, fatal]))
  } catch (error) {
    if (!isRetinueError(error)) throw error
    const findings = error.code === 'project-invalid' ? { findings: error.data['findings'] } : {}
    if (options.json) out(`${JSON.stringify({ error: error.toJSON(), ...findings }, null, 2)}\n`)
    err(errorText(error))
    return exitCodeOf(error)
  }
}

async function runToEnd(agent: Agent, options: RunAgentOptions): Promise<number> {
  const { request, json, color, out, err } = options
  const threadId = options.thread ?? `run-${randomUUID()}`
  const stream = await agent.stream(request, {
    resolveModel: modelChooser(options.model, process.env, options.cwd),
    memory: {
      thread: { id: threadId, title: request.slice(0, 60), metadata: { agent: agent.id } },
      resource: LOCAL_RESOURCE,
    },
  })
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
  if (json) out(`${JSON.stringify({ ...collector.report(options.agent, request, result), threadId }, null, 2)}\n`)
  else if (result.text.trim() !== '') out(`${process.stdout.isTTY ? '\n' : ''}${result.text.trimEnd()}\n`)
  if (result.error) err(errorText(result.error))
  else if (result.finishReason !== 'stop' && result.finishReason !== 'aborted')
    err(`The run ended with ${result.finishReason}: the answer may be unfinished.\n`)
  return exitCode(result)
}
