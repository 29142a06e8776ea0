import type { DelegationOptions } from '../loop/delegation-settings.ts'
import { toJson } from '../shared/json.ts'
import { defined, isObject } from '../shared/records.ts'
import type { RunOptions } from './run-options.ts'

/** What becomes of an option of a call when its run is saved. */
type Fate =
  /** It is plain data, and saved. */
  | 'data'
  /** It decides what the run may do, and no store can keep it: whoever goes on elsewhere must pass it again. */
  | 'code'
  /** It only watches, or it has done its work. */
  | 'dropped'

const FATES: Readonly<Record<keyof RunOptions, Fate>> = {
  maxSteps: 'data',
  toolCallConcurrency: 'data',
  toolChoice: 'data',
  modelSettings: 'data',
  providerOptions: 'data',
  maxRetries: 'data',
  allowCycles: 'data',
  timeout: 'data',
  activeTools: 'data',
  system: 'data',
  memory: 'data',
  runId: 'data',
  owner: 'data',
  budget: 'data',
  approvalTimeoutMs: 'data',
  durable: 'data',
  untilIdle: 'data',
  // Data, or code where a function decides; see `isCode`.
  requireToolApproval: 'data',
  delegation: 'data',
  // They carry keys.
  headers: 'code',
  resolveModel: 'code',
  providers: 'code',
  onIterationComplete: 'code',
  isTaskComplete: 'code',
  scorers: 'code',
  stopWhen: 'code',
  prepareStep: 'code',
  structuredOutput: 'code',
  toolsets: 'code',
  context: 'dropped',
  requestContext: 'dropped',
  abortSignal: 'dropped',
  onScore: 'dropped',
  onChunk: 'dropped',
  onStepFinish: 'dropped',
  onFinish: 'dropped',
  onError: 'dropped',
  onAbort: 'dropped',
}

const HOOKS = ['onDelegationStart', 'messageFilter', 'onDelegationComplete'] as const

/** The options of a call that are data, as a store keeps them. */
export function savedOptions(call: RunOptions): Readonly<Record<string, unknown>> {
  const data = Object.entries(call).filter(([name, value]) => fateOf(name, value) === 'data' && value !== undefined)
  const { delegation, ...rest } = Object.fromEntries(data) as RunOptions
  return { ...rest, ...(delegation ? { delegation: withoutHooks(delegation) } : {}) }
}

function fateOf(name: string, value: unknown): Fate {
  if (name === 'requireToolApproval') return typeof value === 'function' ? 'code' : 'data'
  // A plain JSON Schema is data; what checks is code.
  if (name === 'structuredOutput') return isPlainJson(value) ? 'data' : 'code'
  if ((name === 'modelSettings' || name === 'providerOptions') && holdsSecrets(value)) return 'code'
  return FATES[name as keyof RunOptions] ?? 'dropped'
}

function isPlainJson(value: unknown): boolean {
  const json = toJson(value)
  return json.ok && json.value === value
}

/** Names under which settings of models and providers carry keys. */
const SECRET = /^headers$|api[-_]?key|authorization|credential|password|secret|(access|auth|bearer)[-_]?token/i

function holdsSecrets(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, field]) => SECRET.test(name) || holdsSecrets(field))
}

function withoutHooks(delegation: DelegationOptions): DelegationOptions {
  return Object.fromEntries(
    Object.entries(delegation).filter(([name]) => !HOOKS.includes(name as (typeof HOOKS)[number])),
  )
}

/** The names of the code that a call came with, as errors say them: `delegation.messageFilter`, `toolsets.search`. */
export function codeNames(call: RunOptions): string[] {
  const names: string[] = []
  for (const [name, value] of Object.entries(call)) {
    if (value === undefined || fateOf(name, value) !== 'code') continue
    // Each set and each scorer is one of its own: one of them alone is not what the run began with.
    if ((name === 'toolsets' || name === 'scorers') && isObject(value))
      names.push(...Object.keys(value).map((key) => `${name}.${key}`))
    else names.push(name)
  }
  for (const hook of HOOKS) if (call.delegation?.[hook]) names.push(`delegation.${hook}`)
  return names.sort()
}

/** The options with which a saved run goes on: its data, and the code that is given now over what this process still knows. */
export function restoredOptions(
  data: Readonly<Record<string, unknown>>,
  known: RunOptions | undefined,
  given: RunOptions,
): RunOptions {
  const saved = data as RunOptions
  const code = { ...codeOf(known ?? {}), ...defined(given), ...gateOf(saved, known, given) }
  const delegation = { ...saved.delegation, ...hooksOf(known), ...hooksOf(given) }
  return { ...saved, ...code, ...(Object.keys(delegation).length > 0 ? { delegation } : {}) }
}

/** The gates of the call that began the run, and the one that is given now: none of them can be taken away. */
function gateOf(
  saved: RunOptions,
  known: RunOptions | undefined,
  given: RunOptions,
): Pick<RunOptions, 'requireToolApproval'> {
  const gates = [saved, known ?? {}, given]
    .map(({ requireToolApproval }) => requireToolApproval)
    .filter((gate) => !!gate)
  const [only, ...others] = new Set(gates)
  if (only === undefined) return {}
  if (others.length === 0 || gates.includes(true)) return { requireToolApproval: gates.includes(true) || only }
  return {
    requireToolApproval: async (call) => {
      for (const gate of [only, ...others]) if (gate === true || (await gate(call))) return true
      return false
    },
  }
}

/** What no store keeps of a call, and this process still has: not what watched it, which was for that call alone. */
function codeOf(call: RunOptions): Partial<RunOptions> {
  return Object.fromEntries(Object.entries(call).filter(([name, value]) => fateOf(name, value) === 'code'))
}

function hooksOf(call: RunOptions | undefined): DelegationOptions {
  const { delegation } = call ?? {}
  return defined({
    onDelegationStart: delegation?.onDelegationStart,
    messageFilter: delegation?.messageFilter,
    onDelegationComplete: delegation?.onDelegationComplete,
  }) as DelegationOptions
}
