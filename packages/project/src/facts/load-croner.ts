import { createRequire } from 'node:module'
import type { Croner } from './cron-problem.ts'

const require = createRequire(import.meta.url)

/** Loads what reads crons, when the first schedule is read: most projects have none. */
export const loadCroner: Croner = () => require('croner') as typeof import('croner')
