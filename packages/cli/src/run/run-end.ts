import { isModelUnavailable } from '@retinue/core'
import type { RunResult } from '@retinue/core/agent'
import type { RetinueError } from '@retinue/core/errors'
import { EXIT } from '../exit-codes.ts'

/** The exit code that a run's end stands for. */
export function exitCode({ finishReason, error }: Pick<RunResult, 'finishReason' | 'error'>): number {
  if (finishReason === 'aborted') return EXIT.interrupted
  if (error) return exitCodeOf(error)
  if (finishReason === 'suspended') return EXIT.waiting
  return finishReason === 'stop' ? EXIT.ok : EXIT.failed
}

export function exitCodeOf(error: RetinueError): number {
  if (error.code === 'agent-unknown') return EXIT.usage
  if (error.code === 'model-offline-refused') return EXIT.modelUnavailable
  return isModelUnavailable(error) ? EXIT.modelUnavailable : EXIT.failed
}

/** An error as people read it: what happened, and what to do. */
export function errorText({ code, message, hint }: Pick<RetinueError, 'code' | 'message' | 'hint'>): string {
  return `error[${code}]: ${message}\n${hint === undefined ? '' : `  = fix: ${hint}\n`}`
}
