import { type Note, type SlotModule, slotModules } from '../discover/agent-dir.ts'
import type { ModuleIndex } from '../discover/module-index.ts'
import { moduleName } from '../layout.ts'
import { type AgentPlan, notesOf } from '../plan.ts'
import type { Unread } from '../tree/read-text.ts'
import { pathPlace } from './places.ts'
import type { Rule, Violation } from './rule.ts'

/** B11.10: what can't be read is told with its path, never skipped. */
export const fileUnreadable: Rule = {
  code: 'file-unreadable',
  severity: 'error',
  why: 'what can not be read can not take part, and leaving it out silently would change the agent',
  *check({ discovered, plans }) {
    const { modules, shared } = discovered
    yield* unreadFolders(discovered.notes, [])
    yield* unreadModules(modules, shared, [])
    for (const plan of plans) {
      const { agent, modules: own } = plan
      yield* unreadFolders(notesOf(plan), agent.path)
      for (const { file, unread } of textsOf(plan)) if (unread !== undefined) yield violation(file, unread, agent.path)
      const files = slotModules(agent).filter((module) => module === agent.config || own.includes(module))
      yield* unreadModules(modules, files, agent.path)
    }
  },
}

/** The texts of an agent that are not overridden. Beside an Agent none counts. */
function textsOf({ agent, config, instructions }: AgentPlan): readonly { file: string; unread?: Unread }[] {
  if (config === 'agent') return []
  const { markdown, agentFile, skills, schedules } = agent
  return [
    ...(markdown !== undefined && instructions === 'markdown' ? [markdown] : []),
    // What an unreadable file would have said is not known, so neither is what it would have lost.
    ...(agentFile === undefined ? [] : [agentFile]),
    ...skills.flatMap((skill) => [skill, ...skill.references]),
    ...schedules.map(({ file, text }) => ({ file, ...(text?.unread && { unread: text.unread }) })),
  ]
}

function* unreadFolders(notes: readonly Note[], agentPath: readonly string[]): Iterable<Violation> {
  for (const note of notes)
    if (note.kind === 'unreadable') yield violation(note.path, { kind: 'system', reason: note.reason }, agentPath)
}

/** Modules that can't be read, and what they import. */
function* unreadModules(
  modules: ModuleIndex,
  own: readonly SlotModule[],
  agentPath: readonly string[],
): Iterable<Violation> {
  for (const file of modules.closure(own.map(({ file }) => file))) {
    const read = moduleName(file) === undefined ? undefined : modules.read(file)
    if (read?.ok === false) yield violation(file, read.unread, agentPath)
  }
}

function violation(path: string, { kind, reason }: Unread, agentPath: readonly string[]): Violation {
  const fix = kind === 'system' ? 'make it readable, or remove it' : 'save it as UTF-8'
  return { message: `"${path}" can't be read: ${reason}`, place: pathPlace(path), agentPath, fix }
}
