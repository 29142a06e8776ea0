export { createTool } from './create-tool.ts'
export type { InferSchema, Schema } from './schema.ts'
export {
  isTool,
  type Tool,
  type ToolAgentContext,
  type ToolContext,
  type ToolOptions,
  type ToolWriter,
} from './tool.ts'
