import { isAgent } from '@retinue/core/agent'
import { isTool } from '@retinue/core/tools'
import type { ModuleFact } from './facts.ts'
import { serverProblems } from './server-problems.ts'
import { isPlainRecord } from './value-kind.ts'

/** The settings that `@retinue/server` knows. */
export const SERVER_SETTINGS: readonly string[] = [
  'allowedHosts',
  'auth',
  'bodyLimit',
  'cors',
  'detachMs',
  'heartbeatMs',
  'host',
  'middleware',
  'port',
  'shutdownMs',
  'token',
]

/** What rules need to know of the settings of a server; undefined for what is no plain object. */
export function describeServer(value: unknown): ModuleFact | undefined {
  if (!isPlainRecord(value) || isAgent(value) || isTool(value) || typeof value['then'] === 'function') return undefined
  const unknown = Object.keys(value).filter((name) => !SERVER_SETTINGS.includes(name))
  return { kind: 'server', unknown, known: SERVER_SETTINGS, problems: serverProblems(value) }
}
