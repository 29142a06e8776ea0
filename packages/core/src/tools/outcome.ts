import type { ErrorCode } from '../errors/codes.ts'
import { type ErrorInfo, errorInfo, RetinueError } from '../errors/retinue-error.ts'
import type { ToolOutput } from '../messages/message.ts'

/** How a tool call ended. A bad argument or a tool that threw is an outcome like another: nothing of it is thrown. */
export type Outcome =
  | {
      readonly kind: 'result'
      /** What the application gets. */
      readonly result: unknown
      /** What the model reads. */
      readonly output: ToolOutput
      /** Set where the result tells of a failure: the same one three steps running ends the run. */
      readonly failure?: string
    }
  | { readonly kind: 'error'; readonly error: ErrorInfo; readonly output: ToolOutput }

/** A call that failed: the model reads what happened and what to do. */
export function failed(code: ErrorCode, message: string, hint?: string): Outcome {
  return failedWith(new RetinueError({ code, message, ...(hint === undefined ? {} : { hint }) }))
}

export function failedWith(error: RetinueError): Outcome {
  const value = error.hint === undefined ? error.message : `${error.message} ${error.hint}`
  return { kind: 'error', error: errorInfo(error), output: { type: 'error-text', value } }
}
