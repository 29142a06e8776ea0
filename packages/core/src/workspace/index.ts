export type { Workspace } from './workspace.ts'
