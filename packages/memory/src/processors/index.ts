export { tokenLimit } from './token-limit.ts'
export { type ToolCallFilterOptions, toolCallFilter } from './tool-call-filter.ts'
