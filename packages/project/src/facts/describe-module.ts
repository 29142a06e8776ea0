import { isAgent } from '@retinue/core/agent'
import { isTool } from '@retinue/core/tools'
import { applicationOf } from '../exported-application.ts'
import { type ModuleSlot, moduleName } from '../layout.ts'
import type { AgentIdentities } from './agent-identities.ts'
import { describeProcessor, describeScorer, describeSkill } from './describe-added.ts'
import { describeAgent } from './describe-agent.ts'
import { describeApplication } from './describe-application.ts'
import { describeBackgroundTasks } from './describe-background-tasks.ts'
import { describeConfig } from './describe-config.ts'
import { describeFrontmatter } from './describe-frontmatter.ts'
import { describeHooks } from './describe-hooks.ts'
import { instructionsFact } from './describe-instructions.ts'
import { describePort, isPort } from './describe-port.ts'
import { describeSchedule } from './describe-schedule.ts'
import { describeServer } from './describe-server.ts'
import { describeWorkspace } from './describe-workspace.ts'
import type { ModuleFact } from './facts.ts'
import { toolRefusal } from './refusal.ts'
import { isPlainRecord, isRecord, kindOfValue } from './value-kind.ts'

/** The part of a module's place that its description depends on. */
export interface DescribedModule {
  readonly file: string
  readonly slot: ModuleSlot
}

/** Says what a module exports, as far as its slot asks. It may throw what a getter of the module's own throws. */
export function describeModule(
  module: DescribedModule,
  namespace: Readonly<Record<string, unknown>>,
  identities: AgentIdentities,
): ModuleFact {
  if (module.slot === 'index') return describeIndex(namespace, identities)
  if (!('default' in namespace)) return { kind: 'invalid', found: 'missing', exported: Object.keys(namespace) }
  const value = namespace['default']
  // Nobody will wait for it; a rejection must not end the process.
  if (value instanceof Promise) value.catch(() => {})
  return (
    describeDefault(module, value, Object.keys(namespace), identities) ?? {
      kind: 'invalid',
      found: kindOfValue(value),
      exported: [],
    }
  )
}

/** An application may be exported under a name of its own. */
function describeIndex(namespace: Readonly<Record<string, unknown>>, identities: AgentIdentities): ModuleFact {
  const value = applicationOf(namespace)
  const exported = Object.keys(namespace)
  const found = value === undefined ? 'missing' : kindOfValue(value)
  return describeApplication(value, identities) ?? { kind: 'invalid', found, exported }
}

function describeDefault(
  { file, slot }: DescribedModule,
  value: unknown,
  exported: readonly string[],
  identities: AgentIdentities,
): ModuleFact | undefined {
  const [dir = '', name = ''] = file.split('/').slice(-2)
  if (slot === 'tool') {
    const key = moduleName(name)?.base ?? name
    return isTool(value) && !isAgent(value) ? { kind: 'tool', refused: toolRefusal(key, value) } : undefined
  }
  if (slot === 'instructions') {
    const instructions = instructionsFact(value)
    const isValid = instructions.form !== 'wrong' && instructions.form !== 'absent'
    return isValid ? { kind: 'instructions', instructions } : undefined
  }
  if (slot === 'frontmatter') return { kind: 'config', config: describeFrontmatter(dir, isRecord(value) ? value : {}) }
  if (slot === 'hooks') return describeHooks(value, exported)
  if (slot === 'workspace') return describeWorkspace(dir, value)
  if (slot === 'server') return describeServer(value)
  if (isPort(slot)) return describePort(slot, value)
  if (slot === 'backgroundTasks') return describeBackgroundTasks(value)
  if (slot === 'schedule') return describeSchedule(value)
  if (slot === 'skill') return describeSkill(moduleName(name)?.base ?? name, value)
  if (slot === 'scorer') return describeScorer(file.split('/').at(-3) ?? '', moduleName(name)?.base ?? name, value)
  if (slot === 'input-processor' || slot === 'output-processor') return describeProcessor(value)
  if (isAgent(value)) return { kind: 'agent', agent: describeAgent(value, identities) }
  const isConfig = isPlainRecord(value) && typeof value['then'] !== 'function' && !isTool(value)
  return isConfig ? { kind: 'config', config: describeConfig(dir, value, identities) } : undefined
}
