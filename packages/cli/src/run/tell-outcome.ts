import type { RunResult } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import { type CommandFlags, pendingText } from './pending-text.ts'
import { errorText, exitCode, exitCodeOf, isWhole } from './run-end.ts'
import type { ReportCollector } from './run-report.ts'

export interface TellOutcomeOptions {
  /** The agent's name in the project. */
  readonly agent: string
  readonly request?: string | undefined
  readonly threadId?: string | undefined
  readonly collector: ReportCollector
  readonly json: boolean
  readonly flags: CommandFlags
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Prints how a run ended, or what it waits for: the answer, or the report as JSON, to stdout. Gives the exit code. */
export function tellOutcome(result: RunResult, options: TellOutcomeOptions): number {
  const { agent, request, threadId, collector, json, flags, out, err } = options
  const thread = threadId === undefined ? {} : { threadId }
  if (json) out(`${JSON.stringify({ ...collector.report(agent, request, result), ...thread }, null, 2)}\n`)
  else if (result.text.trim() !== '') out(`${process.stdout.isTTY ? '\n' : ''}${result.text.trimEnd()}\n`)
  if (result.error) err(errorText(result.error))
  else if (result.pendingCalls) err(pendingText(result.runId, result.pendingCalls, flags))
  else if (!isWhole(result.finishReason) && result.finishReason !== 'aborted')
    err(`The run ended with ${result.finishReason}: the answer may be unfinished.\n`)
  return exitCode(result)
}

/** Prints why nothing ran, or why it broke off. Gives the exit code; what is no error of ours is thrown on. */
export function tellFailure(error: unknown, options: Pick<TellOutcomeOptions, 'json' | 'out' | 'err'>): number {
  if (!isRetinueError(error)) throw error
  const findings = error.code === 'project-invalid' ? { findings: error.data['findings'] } : {}
  if (options.json) options.out(`${JSON.stringify({ error: error.toJSON(), ...findings }, null, 2)}\n`)
  options.err(errorText(error))
  return exitCodeOf(error)
}
