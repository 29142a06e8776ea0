export { Memory } from './memory.ts'
export type { Embedder } from './options/embedder.ts'
export type {
  MemoryOptions,
  MemorySettings,
  Scope,
  SemanticRecallOptions,
  TitleOptions,
  WorkingMemoryOptions,
} from './options/memory-options.ts'
