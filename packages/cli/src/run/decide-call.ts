import type { Agent, DecisionOptions, RunStream } from '@retinue/core/agent'

/** What a person decided on a call that waits. */
export type Verdict =
  | { readonly type: 'approve'; readonly args?: unknown }
  | { readonly type: 'decline'; readonly reason?: string | undefined }
  | { readonly type: 'answer'; readonly data: unknown }

/** Takes a decision; the stream is that of the rest of the run. Rejects, before there is one, as the agent's own methods do. */
export function decideCall(agent: Agent, verdict: Verdict, options: DecisionOptions): Promise<RunStream> {
  switch (verdict.type) {
    case 'approve':
      return agent.approveToolCall({ ...options, ...('args' in verdict ? { args: verdict.args } : {}) })
    case 'decline':
      return agent.declineToolCall({
        ...options,
        ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
      })
    case 'answer':
      return agent.resumeStream(verdict.data, options)
  }
}
