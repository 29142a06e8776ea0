import { isModelUnavailable } from '@retinue/core'
import type { FinishReason, RunResult } from '@retinue/core/agent'
import type { RetinueError } from '@retinue/core/errors'
import { EXIT } from '../exit-codes.ts'

/** The exit code that a run's end stands for. */
export function exitCode({ finishReason, error }: Pick<RunResult, 'finishReason' | 'error'>): number {
  if (finishReason === 'aborted') return EXIT.interrupted
  if (error) return exitCodeOf(error)
  if (finishReason === 'suspended') return EXIT.waiting
  return isWhole(finishReason) ? EXIT.ok : EXIT.failed
}

/** Whether a run without an error ended with all that it had to say: by itself, or because a hook took a child's answer for its own. */
export function isWhole(finishReason: FinishReason): boolean {
  return finishReason === 'stop' || finishReason === 'bailed'
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
