import type { DelegationOptions } from '@retinue/core/agent'

/** What a delegation option may hold: a function, `true` or `false`, or one of some words. */
export type OptionForm = 'function' | 'boolean' | readonly string[]

const FORMS: Readonly<Record<keyof DelegationOptions, OptionForm>> = {
  onDelegationStart: 'function',
  onDelegationComplete: 'function',
  messageFilter: 'function',
  context: ['none'],
  includeSubAgentToolResultsInModelContext: 'boolean',
  enableResultReferences: 'boolean',
  hookErrorStrategy: ['throw', 'warn'],
}

/** What `hooks.ts` may hold, by name. */
export const DELEGATION_OPTIONS: ReadonlyMap<string, OptionForm> = new Map(Object.entries(FORMS))
