import { findSecrets } from '../findings/secrets.ts'
import type { AgentPlan } from '../plan.ts'
import { descriptionOf, instructionsOf, type Prompt } from './prompts.ts'
import type { Rule, Violation } from './rule.ts'

/** A key that every call sends to a model's provider. Its value is never printed. */
export const promptSecret: Rule = {
  code: 'prompt-secret',
  severity: 'warning',
  why: 'a prompt goes to the provider with every call, into logs and traces, and a model may repeat it to anybody who asks',
  *check(context) {
    for (const plan of context.plans) {
      yield* secretsIn('the instructions', 'hold', instructionsOf(context, plan), plan)
      yield* secretsIn('the description', 'holds', descriptionOf(context, plan), plan)
    }
  },
}

function* secretsIn(
  what: string,
  holds: string,
  prompt: Prompt | undefined,
  { agent }: AgentPlan,
): Iterable<Violation> {
  if (prompt === undefined) return
  for (const secret of findSecrets(prompt.text)) {
    yield {
      message: `${what} of "${agent.key}" ${holds} what looks like ${secret.what}`,
      place: prompt.at(secret.start, secret.end),
      agentPath: agent.path,
      label: 'take it out',
      fix: 'take it out and revoke it; let a tool read the new one from the environment (process.env)',
    }
  }
}
