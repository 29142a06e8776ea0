import type { BackgroundTask } from '@retinue/core/agent'

/** What a task gave, as a text: of a delegation its answer. Undefined where there is none. */
export function resultText({ result }: Pick<BackgroundTask, 'result'>): string | undefined {
  if (result === undefined) return undefined
  if (typeof result === 'string') return result
  const isRecord = typeof result === 'object' && result !== null
  if (isRecord && 'subAgentToolResults' in result && 'text' in result) return String(result.text)
  return JSON.stringify(result, null, 2)
}
