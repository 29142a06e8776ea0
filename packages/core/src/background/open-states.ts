import type { TaskStatus } from '../storage/tasks.ts'

/** The states in which a task has not ended. */
export const OPEN: readonly TaskStatus[] = ['pending', 'running', 'suspended']
