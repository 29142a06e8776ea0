import type { Run } from '../loop/run.ts'
import type { RunKeeper } from '../loop/run-keeper.ts'
import type { Application } from '../memory/application.ts'
import type { AgentParts } from './agent-parts.ts'
import type { TakenRun } from './kept-tree.ts'
import type { RunOptions } from './run-options.ts'

/** A root run, with what it takes to write it down. */
export interface KeepableTree {
  readonly parts: AgentParts
  readonly application: Application
  readonly run: Run
  /** The call's options over the agent's defaults. */
  readonly options: RunOptions
  /** The call's options alone: the defaults are there again when the run goes on. */
  readonly call: RunOptions
}

/**
 * Says how a tree is kept, which happens only once it has to be; at once, and awaited, where it is to survive a crash. `taken`: what it
 * was when it was stored before.
 */
export function keepable(tree: KeepableTree, taken?: TakenRun): Promise<RunKeeper> | undefined {
  const { root, abort } = tree.run
  let keeper: Promise<RunKeeper> | undefined
  root.keep = () => {
    // Loaded with the first tree that is kept.
    keeper ??= import('./kept-tree.ts').then(({ keepTree }) => keepTree(tree, taken))
    return keeper
  }
  return !taken && isDurable(tree) && !abort.aborted ? root.keep() : undefined
}

export function isDurable({ parts, application, options }: Omit<KeepableTree, 'run'>): boolean {
  return options.durable ?? parts.options.durable ?? application.durable ?? false
}
