import { AbortScope } from '../shared/abort.ts'
import type { Run } from './run.ts'

/** How one call of a step can end the others, and the run: there is one only where a hook can ask for it. */
export class Bail {
  /** The call that asked first. */
  toolCallId: string | undefined
  readonly #scope: AbortScope | undefined

  constructor(run: Run, calls: number) {
    this.#scope = calls > 1 ? AbortScope.within(run.abort) : undefined
    if (this.#scope) run.scope = this.#scope
  }

  out(toolCallId: string): void {
    this.toolCallId ??= toolCallId
    this.#scope?.abort('another delegation ended the run')
  }

  close(run: Run): void {
    this.#scope?.dispose()
    run.scope = run.abort
    run.bail = undefined
  }
}
