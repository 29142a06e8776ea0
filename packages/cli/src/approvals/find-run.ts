import type { Agent } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import type { Approval } from '@retinue/core/storage'

/** A run that people are asked about, with the agent that it belongs to. */
export interface FoundRun {
  /** The agent's name in the project. */
  readonly name: string
  readonly agent: Agent
  readonly runId: string
  /** What it asked, the last round of each call. */
  readonly approvals: readonly Approval[]
}

/** The run of an id, among those of all agents. Throws `run-not-found`. */
export async function findRun(agents: Readonly<Record<string, Agent>>, runId: string): Promise<FoundRun> {
  for (const [name, agent] of Object.entries(agents)) {
    const approvals = await approvalsOf(agent, { runId })
    if (approvals.length > 0) {
      const latest = new Map(approvals.map((approval) => [approval.toolCallId, approval]))
      return { name, agent, runId, approvals: [...latest.values()] }
    }
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
export function meantCall({ approvals }: FoundRun): string | undefined {
  const waiting = approvals.filter(({ status }) => status === 'pending')
  if (waiting.length > 0) return waiting.length === 1 ? waiting[0]?.toolCallId : undefined
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
