import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'

/**
 * The one form of a message inside Retinue: the model's own (AI SDK specification v4), so that a model call converts nothing.
 * Whatever comes in is turned into it once, by `messagesFromInput`.
 */
export type Message = LanguageModelV4Message
export type SystemMessage = Extract<Message, { role: 'system' }>
export type UserMessage = Extract<Message, { role: 'user' }>
export type AssistantMessage = Extract<Message, { role: 'assistant' }>
export type ToolMessage = Extract<Message, { role: 'tool' }>

export type TextPart = LanguageModelV4TextPart
export type FilePart = LanguageModelV4FilePart
export type ReasoningPart = LanguageModelV4ReasoningPart
export type ToolResultPart = LanguageModelV4ToolResultPart
export type ToolOutput = LanguageModelV4ToolResultOutput
export type AssistantPart = AssistantMessage['content'][number]

/** What a message says: its texts, a line each. Empty where it has none. */
export function messageText({ content }: Message): string {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const texts: string[] = []
  for (const part of parts) if (part.type === 'text') texts.push(part.text)
  return texts.join('\n')
}

export function userText(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}
