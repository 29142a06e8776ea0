import type { ErrorCode } from '../errors/codes.ts'
import { type ErrorInfo, errorInfo, RetinueError } from '../errors/retinue-error.ts'
import type { GeneratedFile, Source } from '../events/chunk.ts'
import { disarm } from '../messages/framework-note.ts'
import type { ToolOutput } from '../messages/message.ts'

/** An answer that a run can take over. */
export interface Relayed {
  readonly text: string
  readonly object?: unknown
  readonly sources: readonly Source[]
  readonly files: readonly GeneratedFile[]
}

/** A call that goes on in the background after its model was told so. */
export interface OpenTask {
  readonly taskId: string
  readonly toolCallId: string
  readonly toolName: string
}

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
      /** Put into the conversation before the next model call. */
      readonly feedback?: string
      /** Set where the run ends with this call: the text that it ends with. */
      readonly bail?: string
      /** Set where the result may be the run's answer as it is, if it is the only call of its step. */
      readonly relay?: Relayed
      /** Set where the result only says that the call goes on in the background. */
      readonly task?: OpenTask
    }
  | { readonly kind: 'error'; readonly error: ErrorInfo; readonly output: ToolOutput }

/** A call that failed: the model reads what happened and what to do. */
export function failed(code: ErrorCode, message: string, hint?: string): Outcome {
  return failedWith(new RetinueError({ code, message, ...(hint === undefined ? {} : { hint }) }))
}

export function failedWith(error: RetinueError): Outcome {
  const value = error.hint === undefined ? error.message : `${error.message} ${error.hint}`
  return { kind: 'error', error: errorInfo(error), output: { type: 'error-text', value: disarm(value) } }
}

const REASONS: Readonly<Record<string, string>> = {
  length: 'the answer that asked for it was cut off at its longest',
  'content-filter': 'the provider filtered the answer that asked for it',
  error: 'the answer that asked for it broke off',
  aborted: 'the run was aborted before the call had ended',
  stopped: 'the answer that asked for it was stopped',
  bailed: 'a background task ended the run',
  last: 'this was the last answer of the run, and no more calls are made',
}

/** A call that was never run, or whose end was not waited for. */
export function notRun(why: string): Outcome {
  return failed('tool-not-run', `This call has no result: ${REASONS[why] ?? why}.`)
}
