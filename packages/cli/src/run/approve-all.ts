import type { Agent, ChooseModel, RunResult } from '@retinue/core/agent'
import { safeLine } from '../safe-text.ts'
import { decidedBy } from './decided-by.ts'
import { callLines } from './pending-text.ts'
import type { RunProgress } from './run-progress.ts'

export interface ApproveAllOptions {
  readonly agent: Agent
  readonly resolveModel: ChooseModel
  readonly progress: RunProgress
  readonly err: (text: string) => void
}

/**
 * Approves what a run waits for, one call after the other, until it ends: each is shown before it runs. What a suspended tool wants to
 * know nobody can approve: the run then waits as before.
 */
export async function approveAll(result: RunResult, options: ApproveAllOptions): Promise<RunResult> {
  const { agent, resolveModel, progress, err } = options
  const by = decidedBy()
  let latest = result
  for (;;) {
    const next = latest.pendingCalls?.find(({ requiresApproval }) => requiresApproval)
    if (!next) return latest
    err(`${callLines(next).join('\n')}\n✔ ${safeLine(next.toolName)}  approved by ${by}, as --yes says\n`)
    const { runId } = latest
    const { toolCallId } = next
    latest = await progress.follow(await agent.approveToolCall({ runId, toolCallId, decidedBy: by, resolveModel }))
  }
}
