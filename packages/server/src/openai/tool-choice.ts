import type { RunOptions } from '@retinue/core/agent'
import { requestInvalid } from '../errors/request-errors.ts'
import { isObject } from '../is-object.ts'
import type { ClientFunction } from './client-tools.ts'

/** Which of its functions a client wants called. */
export interface ToolChoice {
  /** They are those of the history, and not to be called now. */
  readonly withholdsFunctions?: boolean
  /** Until one of them is called, the model must call a tool, or the one that is named; the agent's own are still its to use. */
  readonly toolChoice?: RunOptions['toolChoice']
}

type Given = string | Readonly<Record<string, unknown>> | null | undefined

const HINT = 'It can be auto, none, required, or one function of tools.'

/** The `tool_choice` of either protocol. Throws `request-invalid` for what can't be chosen. */
export function toolChoiceOf(choice: Given, functions: readonly ClientFunction[]): ToolChoice {
  if (choice === null || choice === undefined || choice === 'auto') return {}
  if (choice === 'none') return { withholdsFunctions: true }
  const toolName = choice === 'required' ? undefined : nameIn(choice)
  if (choice !== 'required' && toolName === undefined) {
    const asked = typeof choice === 'string' ? choice : choice['type']
    throw requestInvalid(`The tool_choice ${JSON.stringify(asked)} is not supported.`, HINT)
  }
  if (functions.length === 0)
    throw requestInvalid(
      'The tool_choice wants a function called, and there are no tools.',
      'Send your functions in tools: which of its own tools it calls is the agent’s to choose.',
    )
  if (toolName === undefined) return { toolChoice: 'required' }
  if (!functions.some(({ name }) => name === toolName))
    throw requestInvalid(`The tool_choice names "${toolName}", which is none of tools.`, HINT)
  return { toolChoice: { type: 'tool', toolName } }
}

/** The function that a choice names, in either of OpenAI's forms. */
function nameIn(choice: Given): string | undefined {
  if (!isObject(choice) || choice['type'] !== 'function') return undefined
  const named = isObject(choice['function']) ? choice['function'] : choice
  return typeof named['name'] === 'string' ? named['name'] : undefined
}
