import type { JSONValue } from '@ai-sdk/provider'

/** A tool called `suspend`: its call waits for an answer, and has not ended. */
export interface SuspendedCall {
  readonly kind: 'suspended'
  /** What it wants to know. */
  readonly payload: JSONValue | undefined
}

/** What `suspend` throws: it never returns, and a body that catches it has suspended all the same. */
export class SuspendSignal extends Error {
  override readonly name = 'SuspendSignal'

  constructor() {
    super('The tool was suspended. Let this pass: nothing is wrong.')
  }
}
