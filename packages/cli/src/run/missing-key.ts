import { keyVariables, type ModelChoice } from '@retinue/core'

/** The variable that a model's provider misses; undefined if it can be asked. */
export function missingKey(choice: ModelChoice, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (typeof choice !== 'string') return undefined
  const variables = keyVariables(choice)
  return variables.length === 0 || variables.some((name) => env[name]?.trim()) ? undefined : variables[0]
}
