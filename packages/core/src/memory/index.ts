export type {
  AgentMemory,
  KeptMessage,
  MemoryTurn,
  OpenedMemory,
  Recalled,
  RecallQuery,
  RememberedMessage,
} from './agent-memory.ts'
export type { Application, Logger } from './application.ts'
export type { MemoryOption } from './memory-option.ts'
