import type { SlotModule } from '../discover/agent-dir.ts'
import { DELEGATION_OPTIONS } from '../facts/delegation-options.ts'
import type { ModuleFact } from '../facts/facts.ts'
import type { ModuleSlot } from '../layout.ts'
import { parentPath } from '../tree/source-tree.ts'
import { aKind, exportPlace, quoteAll } from './places.ts'
import type { Rule, RuleContext, Violation } from './rule.ts'

const WANTED: Readonly<Record<ModuleSlot, string>> = {
  config: 'a plain object, as agentConfig({ … }) gives, or an Agent',
  frontmatter: 'keys with values',
  instructions: 'text, a system message, a list of those, or a function that gives one of them',
  tool: 'a tool, as createTool({ … }) gives',
  hooks: 'a plain object of delegation hooks',
  workspace: 'a plain object of settings, as workspaceConfig({ … }) gives, or a workspace: { id, tools }',
  memory: 'a memory, as new Memory({ … }) of @retinue/memory gives',
  storage: 'a storage, as new LibSQLStore({ … }) of @retinue/libsql gives',
  logger: 'an object with a method warn, such as console, or false',
  backgroundTasks: 'a plain object, such as { enabled: true }',
  server: 'a plain object of settings, as serverConfig({ … }) of @retinue/server gives',
  skill: 'a skill, as createSkill({ … }) gives',
  'input-processor': 'a processor: an object with an id and processInput or processInputStep',
  'output-processor': 'a processor: an object with an id and processOutputStream or processOutputResult',
  scorer: 'a scorer, as createScorer({ … }) gives, or { scorer, sampling }',
  schedule: 'a schedule, as createSchedule({ cron, prompt }) gives',
  index: 'the application, as new Retinue({ … }) gives',
}

const FIX: Readonly<Record<ModuleSlot, string>> = {
  config: "write: export default agentConfig({ model: 'openai/gpt-5.5' })",
  frontmatter: 'write: model: openai/gpt-5.5',
  instructions: "write: export default 'You …'",
  tool: 'write: export default createTool({ id, description, inputSchema, execute })',
  hooks: 'write: export default { onDelegationStart: (context) => { … } }',
  workspace: 'write: export default workspaceConfig({ readOnly: true })',
  memory: 'write: export default new Memory()',
  storage: "write: export default new LibSQLStore({ id: 'app', url: 'file:app.db' })",
  logger: 'write: export default console',
  backgroundTasks: 'write: export default { enabled: true }',
  server: 'write: export default serverConfig({ port: 4111 })',
  skill: 'write: export default createSkill({ name, description, instructions })',
  'input-processor': "write: export default { id: 'guard', processInput({ messages }) { … } }",
  'output-processor': "write: export default { id: 'guard', processOutputResult({ text }) { … } }",
  schedule: "write: export default createSchedule({ cron: '0 9 * * 1-5', prompt: '…' })",
  index: 'write: export default new Retinue({ agents: {} }); the agents in "agents/" are added to it',
  scorer: "write: export default createScorer({ id: 'short' }).generateScore(({ run }) => …)",
}

/** B11.3 */
export const defaultExportInvalid: Rule = {
  code: 'default-export-invalid',
  severity: 'error',
  why: 'a module takes part by its default export',
  *check(context) {
    const { discovered, loaded, plans } = context
    for (const module of discovered.shared) {
      const found = loaded.facts.get(module.file)
      const folder = { dir: parentPath(module.file), path: [] }
      if (found?.kind === 'invalid') yield violation(context, folder, module, found)
    }
    for (const { agent, fact, modules } of plans) {
      if (agent.config !== undefined && fact?.kind === 'invalid') yield violation(context, agent, agent.config, fact)
      for (const module of modules) {
        const found = loaded.facts.get(module.file)
        if (found?.kind === 'invalid') yield violation(context, agent, module, found)
      }
    }
  },
}

type Invalid = Extract<ModuleFact, { kind: 'invalid' }>

/** `owner`: the agent, or the application's folder. */
function violation(
  context: RuleContext,
  owner: { readonly dir: string; readonly path: readonly string[] },
  { file, slot }: SlotModule,
  { found, exported }: Invalid,
): Violation {
  const name = owner.dir === '' ? file : file.slice(owner.dir.length + 1)
  const others = exported.length === 0 ? 'nothing' : `only ${quoteAll(exported)}`
  return {
    message:
      found === 'missing'
        ? `"${name}" has no default export; it exports ${others}`
        : `"${name}" exports ${aKind(found)} as its default`,
    place: exportPlace(context, file),
    agentPath: owner.path,
    why: `the default export of "${name}" must be ${WANTED[slot]}`,
    fix: found === 'promise' ? `await it: export default await …` : (namedHooks(slot, exported) ?? FIX[slot]),
  }
}

/** Hooks that are there under their names need only be gathered. */
function namedHooks(slot: ModuleSlot, exported: readonly string[]): string | undefined {
  const names = slot === 'hooks' ? exported.filter((name) => DELEGATION_OPTIONS.has(name)) : []
  return names.length === 0 ? undefined : `write: export default { ${names.join(', ')} }`
}
