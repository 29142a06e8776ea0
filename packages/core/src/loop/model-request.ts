import type { Message } from '../messages/message.ts'
import { adaptPrompt } from '../model/adapt-prompt.ts'
import { withoutForeignReasoning } from '../model/foreign-reasoning.ts'
import type { LanguageModel } from '../model/language-model.ts'
import { strictSchema } from '../tools/strict-schema.ts'
import type { Run } from './run.ts'

/** The options of the next model call, in the form of the model's own specification. */
export function modelRequest(run: Run, model: LanguageModel, abortSignal: AbortSignal): object {
  const { settings, active, answer, traits, override } = run
  const whole = promptOf(run)
  // Only a conversation that another provider took part in holds anything that this one must not see.
  const prompt = traits.reasoning ? withoutForeignReasoning(whole, model.provider) : whole
  return {
    ...settings.modelSettings,
    ...override?.modelSettings,
    prompt: adaptPrompt(prompt, model.specificationVersion),
    abortSignal,
    ...(active.definitions.length === 0
      ? {}
      : {
          tools: [...active.definitions],
          toolChoice: toolChoiceOf(run.state.last !== undefined ? 'none' : run.toolChoice),
        }),
    ...(answer ? { responseFormat: { type: 'json', schema: strictSchema(answer.jsonSchema) } } : {}),
    ...((override?.providerOptions ?? settings.providerOptions)
      ? { providerOptions: override?.providerOptions ?? settings.providerOptions }
      : {}),
    ...(settings.headers ? { headers: settings.headers } : {}),
  }
}

/** What the model is asked: the run's conversation, or what a hook put in its place. A copy of its own, which it may keep. */
export function promptOf({ override, prompt, state }: Run): Message[] {
  return override?.prompt ? [...override.prompt] : prompt.of(state.messages)
}

/** `'auto'` and its like in the model's form; an object is there already. */
function toolChoiceOf(choice: unknown): unknown {
  return typeof choice === 'string' ? { type: choice } : (choice ?? { type: 'auto' })
}
