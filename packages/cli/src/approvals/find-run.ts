import type { Agent, SuspendedRun } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import type { Approval } from '@retinue/core/storage'

/** A run that people are asked about, with the agent that it belongs to. */
export interface FoundRun {
  /** The agent's name in the project. */
  readonly name: string
  readonly agent: Agent
  readonly runId: string
  readonly threadId: string | undefined
  /** What it asked, the last round of each call. */
  readonly approvals: readonly Approval[]
  /** The calls that wait, those in its background tasks among them. */
  readonly waiting: readonly string[]
}

/** The run of an id, or the background task, among those of all agents. Throws `run-not-found`. */
export async function findRun(agents: Readonly<Record<string, Agent>>, runId: string): Promise<FoundRun> {
  for (const [name, agent] of Object.entries(agents)) {
    const asked = await approvalsOf(agent, { runId })
    const approvals = [...new Map(asked.map((approval) => [approval.toolCallId, approval])).values()]
    // What its background tasks ask stands under their own ids.
    const run = (await suspendedRuns(agent)).find((each) => each.runId === runId)
    if (approvals.length === 0 && !run) continue
    const pending = approvals.filter(({ status }) => status === 'pending').map(({ toolCallId }) => toolCallId)
    const waiting = [...new Set([...pending, ...(run?.toolCalls ?? []).map(({ toolCallId }) => toolCallId)])]
    return { name, agent, runId, threadId: approvals[0]?.threadId ?? run?.threadId, approvals, waiting }
  }
  throw new RetinueError({
    code: 'run-not-found',
    message: `No run "${runId}" of this project has asked anybody anything.`,
    hint: '"retinue approvals" lists the runs that wait, "retinue approvals log" also those that have ended.',
    data: { runId },
  })
}

/**
 * Which call is meant where none is named: undefined leaves it to the run, which knows whether only one waits. Where none waits any
 * more, the one that was decided last, so that whoever comes too late is told so.
 */
export function meantCall({ approvals, waiting }: FoundRun): string | undefined {
  if (waiting.length > 0) return waiting.length === 1 ? waiting[0] : undefined
  return approvals.toSorted((a, b) => (b.decidedAt ?? 0) - (a.decidedAt ?? 0))[0]?.toolCallId
}

/** All that the runs of an agent asked, in the order in which they asked. */
export async function approvalsOf(agent: Agent, query: { readonly runId?: string }): Promise<Approval[]> {
  const all: Approval[] = []
  let cursor: string | undefined
  do {
    const page = await agent.listApprovals({ ...query, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    all.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

/** The runs of an agent that wait for a person. */
export async function suspendedRuns(agent: Agent): Promise<SuspendedRun[]> {
  const runs: SuspendedRun[] = []
  let cursor: string | undefined
  do {
    const page = await agent.listSuspendedRuns({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
    runs.push(...page.runs)
    cursor = page.next
  } while (cursor !== undefined)
  return runs
}
