import type { RootRun, Run } from '../loop/run.ts'
import type { RunKeeper } from '../loop/run-keeper.ts'
import type { Application } from '../memory/application.ts'
import type { Message } from '../messages/message.ts'
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
  /** What is kept apart of it as a background task; undefined for what the application began. */
  readonly task?: KeepableTask
}

/** A background task, as far as its tree is kept. */
export interface KeepableTask {
  /** Whether each step of it is written down: what is kept in this process dies with it. */
  readonly survives: boolean
  /** What its subagent was handed, where that is stored apart from the tree. */
  readonly inherited?: readonly Message[] | undefined
  /** Goes on with the task when a call of it was not decided in time. */
  goOnLater(): void
}

/** Under which name the trees of an agent's background tasks are stored: they are listed by no agent's own. */
export function filedAs({ parts, task }: Pick<KeepableTree, 'parts'> & { readonly task?: object | undefined }): string {
  return task ? TASK_PREFIX + parts.options.id : parts.options.id
}

/** The agent whose background task is stored under a name; undefined for the name of an agent's own runs. */
export function taskAgentOf(filed: string): string | undefined {
  return filed.startsWith(TASK_PREFIX) ? filed.slice(TASK_PREFIX.length) : undefined
}

const TASK_PREFIX = 'retinue.task:'

/** What a root's `keep` finds on it. */
export interface Keeping {
  readonly tree: KeepableTree
  readonly taken: TakenRun | undefined
  keeper: Promise<RunKeeper> | undefined
}

/**
 * Says how a tree is kept, which happens only once it has to be; at once, and awaited, where it is to survive a crash. `taken`: what it
 * was when it was stored before.
 */
export function keepable(tree: KeepableTree, taken?: TakenRun): Promise<RunKeeper> | undefined {
  const { root, abort } = tree.run
  root.keeping = { tree, taken, keeper: undefined } satisfies Keeping
  return !taken && isDurable(tree) && !abort.aborted ? root.keep() : undefined
}

/**
 * The `keep` of every root. It is one function for all of them, and no closure: closures that are made with each run and hardly ever
 * called were measured to keep the whole run alive until the next full collection, which made every run twice as dear.
 */
export function keepRoot(this: RootRun): Promise<RunKeeper> {
  const keeping = this.keeping as Keeping
  // Loaded with the first tree that is kept.
  keeping.keeper ??= import('./kept-tree.ts').then(({ keepTree }) => keepTree(keeping.tree, keeping.taken))
  return keeping.keeper
}

export function isDurable({ parts, application, options }: Omit<KeepableTree, 'run'>): boolean {
  return options.durable ?? parts.options.durable ?? application.durable ?? false
}
