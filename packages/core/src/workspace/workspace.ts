import type { Tool } from '../tools/tool.ts'

/** Files that belong to one agent. This package knows no file system: whoever makes a workspace brings its tools. */
export interface Workspace {
  readonly id: string
  /** The tools that the agent gets for it, by the name that the model sees. */
  readonly tools: Readonly<Record<string, Tool>>
}
