import type { Approval, ApprovalQuery } from '../storage/approvals.ts'
import type { Page } from '../storage/page.ts'
import type { Verdict } from './decide-run.ts'
import { generated, streamed } from './drive-run.ts'
import type { OpenedRoot } from './open-run.ts'
import type { ApproveOptions, DecisionOptions, DeclineOptions, ResumeOptions } from './resume-options.ts'
import type { RunResult } from './run-result.ts'
import type { RunStream } from './run-stream.ts'
import type { SuspendedRuns, SuspendedRunsQuery } from './suspended-runs.ts'
import type { Site } from './take-run.ts'

/** The runs of an agent that stopped: they are listed, decided on, gone on with and ended by the agent that began them. */
export abstract class RunDecisions {
  /** The agent's parts, and where its runs are kept. */
  protected abstract site(): Site

  /**
   * Approves a call that waits for a person, and goes on with its run where it stopped: the stream is that of what follows. A decision is
   * taken once: of several, one wins and the others reject with `approval-decided`. Rejects, and changes nothing, with
   * `approval-not-found`, `approval-ambiguous`, `approval-expired`, `decision-invalid` (arguments that do not fit), `run-not-found`,
   * `run-code-missing` or `run-context-missing`. While somebody works on the run it waits.
   */
  async approveToolCall(options: ApproveOptions): Promise<RunStream> {
    return this.#stream({ type: 'approve', args: options?.args }, options)
  }

  /** As `approveToolCall`, with the whole result as `generate` gives it. */
  async approveToolCallGenerate(options: ApproveOptions): Promise<RunResult> {
    return this.#generate({ type: 'approve', args: options?.args }, options)
  }

  /** Declines a call that waits: it never runs, its model is told why, and the run goes on. Rejects as `approveToolCall`. */
  async declineToolCall(options: DeclineOptions): Promise<RunStream> {
    return this.#stream({ type: 'decline', reason: options?.reason }, options)
  }

  /** As `declineToolCall`, with the whole result. */
  async declineToolCallGenerate(options: DeclineOptions): Promise<RunResult> {
    return this.#generate({ type: 'decline', reason: options?.reason }, options)
  }

  /**
   * Answers a call that was suspended: its tool runs again from its start, with `data` (any JSON value) as `resumeData`. Rejects as
   * `approveToolCall`; with `decision-invalid` for data that does not fit the tool's `resumeSchema`.
   */
  async resumeStream(data: unknown, options: DecisionOptions): Promise<RunStream> {
    return this.#stream({ type: 'answer', data }, options)
  }

  /** As `resumeStream`, with the whole result. */
  async resumeGenerate(data: unknown, options: DecisionOptions): Promise<RunResult> {
    return this.#generate({ type: 'answer', data }, options)
  }

  /**
   * Goes on with a run that somebody died over, from what was written down last. What is finished is not done again; a decided call that
   * was under way is not started again, and its outcome is `unknown`. What waits for a person is announced again.
   */
  async resumeRun(options: ResumeOptions): Promise<RunStream> {
    return this.#stream(undefined, options)
  }

  /** As `resumeRun`, with the whole result. */
  async resumeRunGenerate(options: ResumeOptions): Promise<RunResult> {
    return this.#generate(undefined, options)
  }

  /** The runs of this agent that wait for a person, the oldest first. */
  async listSuspendedRuns(query: SuspendedRunsQuery = {}): Promise<SuspendedRuns> {
    const { listSuspended } = await import('./suspended-runs.ts')
    return listSuspended(this.site(), query)
  }

  /** Who was asked what by the runs of this agent, and who decided it how and when; also of runs that have ended. */
  async listApprovals(query: Omit<ApprovalQuery, 'agentId'> = {}): Promise<Page<Approval>> {
    const { listApprovals } = await import('./suspended-runs.ts')
    return listApprovals(this.site(), query)
  }

  /** Ends a run that waits, or that this process works on. Rejects with `run-not-found`, or `run-busy` if another process works on it. */
  async cancelRun(run: string | { runId: string }): Promise<void> {
    const { cancel } = await import('./suspended-runs.ts')
    return cancel(this.site(), typeof run === 'object' && run !== null ? run.runId : run)
  }

  /**
   * Goes on with every run of this agent that somebody died over, and with those of which a call was not decided in time: to be called
   * when a process starts. A run whose process may live is left alone until its lease is over, and is then gone on with in the
   * background. One that can't go on is a warning, and stays.
   */
  async recover(options: Omit<ResumeOptions, 'runId'> = {}): Promise<readonly RunStream[]> {
    const { recover } = await import('./recover-runs.ts')
    return recover(this.site(), options)
  }

  async #stream(verdict: Verdict | undefined, options: DecisionOptions): Promise<RunStream> {
    return (await this.#inTask(verdict, options)) ?? streamed(await this.#open(verdict, options, true))
  }

  async #generate(verdict: Verdict | undefined, options: DecisionOptions): Promise<RunResult> {
    const stream = await this.#inTask(verdict, options)
    if (!stream) return generated(await this.#open(verdict, options, false))
    const result = await stream.result
    if (result.finishReason === 'error') throw result.error
    return result
  }

  /** What follows of a background task, where the decision is about one. */
  async #inTask(verdict: Verdict | undefined, options: DecisionOptions): Promise<RunStream | undefined> {
    const site = this.site()
    if (!site.application.background) return undefined
    const { decideTask } = await import('./decide-task.ts')
    return decideTask(site, verdict, options)
  }

  /** Opens a run that stopped, with what was decided; what does that is loaded with the first decision. */
  async #open(verdict: Verdict | undefined, options: DecisionOptions, log: boolean): Promise<OpenedRoot> {
    const { openDecided } = await import('./decide-run.ts')
    return openDecided(this.site(), verdict, options, log)
  }
}
