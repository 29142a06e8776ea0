export {
  promptText,
  type Script,
  type ScriptedCall,
  type ScriptedModels,
  type ScriptedTurn,
  scriptedModel,
  scriptedModels,
  type Turn,
} from './scripted-model.ts'
export { type FaultyStorage, faultyStorage, type StorageFault } from './storage/faulty-storage.ts'
export type { StorageCase } from './storage/storage-case.ts'
export { storageConformance } from './storage/storage-conformance.ts'
export { type VectorCase, vectorConformance } from './storage/vector-conformance.ts'
export { strictModel } from './strict-model.ts'
export { assertStrict, promptProblems } from './strict-rules.ts'
