import { RetinueError } from '../errors/retinue-error.ts'

export const MESSAGE_FORM =
  'A message is { role: "system" | "user" | "assistant" | "tool", content } with text or a list of parts, or a UI message { role, parts }.'

/** The error for an input that is no conversation; `index` is the message that it is about. */
export function inputError(message: string, hint: string = MESSAGE_FORM, index?: number): RetinueError {
  return new RetinueError({ code: 'input-invalid', message, hint, ...(index === undefined ? {} : { data: { index } }) })
}
