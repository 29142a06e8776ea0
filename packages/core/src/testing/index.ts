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
export { strictModel } from './strict-model.ts'
export { assertStrict, promptProblems } from './strict-rules.ts'
