import { isRetinueError, modelSafeMessage, RetinueError } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { AskJudge, JudgeQuestion } from '../scorers/judge.ts'
import { compileSchema } from '../tools/schema.ts'
import { WatchedSchema } from './watched-schema.ts'

const DEFAULT_INSTRUCTIONS = 'You grade the work of another agent. Be strict and fair, and judge only what is there.'

/**
 * Judges are agents: any model, fallbacks, attempts after a rate limit, and one repair of an answer that does not fit. The agent is
 * loaded with the first prompt, so that scorers in code alone cost nothing.
 */
export const askAgent: AskJudge = async (question) => {
  const { judge, scorer, prompt, schema, signal, onUsage } = question
  const providers = { ...question.providers, ...judge.providers }
  const { Agent } = await import('../agent/agent.ts')
  const watched = schema && new WatchedSchema(compileSchema(schema, `${question.step} of the scorer "${scorer}"`))
  const instructions = judge.instructions?.trim() ? judge.instructions : DEFAULT_INSTRUCTIONS
  try {
    const agent = new Agent({
      id: scorer,
      model: judge.model,
      instructions: watched ? [instructions, formOf(watched)] : instructions,
    })
    const result = await agent.generate(prompt, {
      abortSignal: signal,
      // The answer, and its repair.
      maxSteps: 2,
      ...(watched
        ? {
            structuredOutput: { schema: watched },
            // What was wrong with an answer is not what is wrong with its repair.
            prepareStep: () => watched.forget(),
          }
        : {}),
      ...(judge.maxRetries === undefined ? {} : { maxRetries: judge.maxRetries }),
      providers,
      ...(onUsage
        ? { onFinish: ({ steps }) => steps.forEach((step) => void onUsage(step.usage, step.model.used)) }
        : {}),
    })
    if (result.finishReason !== 'stop') throw judgeFailed(question, `its answer ended with "${result.finishReason}"`)
    if (result.error) throw result.error
    return watched ? result.object : result.text
  } catch (thrown) {
    if (isRetinueError(thrown, 'scorer-judge-failed')) throw thrown
    throw judgeFailed(question, whyOf(thrown, watched), thrown)
  }
}

/** Not every provider can be told a schema, so the judge is told in words too. */
function formOf({ compiled }: WatchedSchema): string {
  const schema = JSON.stringify(compiled.jsonSchema)
  return `Answer with JSON alone, with no text around it. It must fit this JSON Schema: ${schema}`
}

/** What people and models may read of a judge's failure: our own words, never the provider's, nor the judge's answer. */
function whyOf(thrown: unknown, watched: WatchedSchema | undefined): string {
  if (!isRetinueError(thrown)) return 'its call broke off'
  if (thrown.code !== 'answer-invalid') return modelSafeMessage(thrown).replace(/\.$/, '')
  return `also after a repair its answer does not fit: ${withoutSecrets(watched?.issues ?? 'it is no JSON')}`
}

function judgeFailed({ scorer, step }: JudgeQuestion, why: string, cause?: unknown): RetinueError {
  const { code, hint, data } = isRetinueError(cause) ? cause : {}
  return new RetinueError({
    code: 'scorer-judge-failed',
    message: `The judge of the scorer "${scorer}" failed in ${step}: ${why}.`,
    hint: hint ?? 'Try again, or give the scorer another judge.',
    data: {
      scorer,
      step,
      ...(code === undefined ? {} : { because: code }),
      ...(data?.['status'] === undefined ? {} : { status: data['status'] }),
    },
    cause,
  })
}
