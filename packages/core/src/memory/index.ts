// The port, and what an implementation of it needs of this package beside it.
export { thrownMessage } from '../errors/retinue-error.ts'
export { withoutSecrets } from '../errors/without-secrets.ts'
export { estimatedTokens } from '../messages/estimated-tokens.ts'
export { disarm } from '../messages/framework-note.ts'
export { isKeptId } from '../messages/kept-id.ts'
export type { Message, SystemMessage } from '../messages/message.ts'
export { originOf, spokenText } from '../messages/spoken-text.ts'
export { warn } from '../shared/warn.ts'
export { type CompiledSchema, compileSchema } from '../tools/schema.ts'
export type {
  AgentMemory,
  KeptMessage,
  MemoryTurn,
  OpenedMemory,
  Recalled,
  RecallQuery,
  RememberedMessage,
} from './agent-memory.ts'
export type { Application, BackgroundTaskOptions, Logger } from './application.ts'
export type { MemoryOption } from './memory-option.ts'
export { assertChosenId, assertPersonsResource } from './thread-owner.ts'
