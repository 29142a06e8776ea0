import type { Discovered } from '../discover/discover.ts'
import type { Position } from '../discover/line-index.ts'
import type { Severity } from '../findings/finding.ts'
import type { LoadedTree } from '../load/load-tree.ts'
import type { AgentPlan } from '../plan.ts'

/** What a rule judges: the files, what loading them gave, and the agents that take part. */
export interface RuleContext {
  readonly discovered: Discovered
  readonly loaded: LoadedTree
  /** Agents that are overridden, ignored or too deep are not among them: nothing about them is checked. */
  readonly plans: readonly AgentPlan[]
}

/** What a rule found. Its code and severity are the rule's own. */
export interface Violation {
  readonly message: string
  readonly place: Place
  readonly agentPath: readonly string[]
  /** What to do, so that it can be pasted or followed as it stands. */
  readonly fix: string
  /** What to do at the place itself, in a few words. */
  readonly label?: string
  /** In place of the rule's general reason, where this case has a better one. */
  readonly why?: string
}

/** A file, folder or link of the project, and what in it is meant. */
export interface Place {
  readonly file: string
  readonly at?: Position
}

/** One rule: its file is named as its code. */
export interface Rule {
  readonly code: string
  readonly severity: Severity
  /** Why the rule exists. */
  readonly why: string
  check(context: RuleContext): Iterable<Violation>
}
