import { type SlotModule, slotModules } from '../discover/agent-dir.ts'
import type { ModuleIndex } from '../discover/module-index.ts'
import { moduleName } from '../layout.ts'
import { pathPlace } from './places.ts'
import type { Rule, Violation } from './rule.ts'

/** B11.10: what can't be read is told with its path, never skipped. */
export const fileUnreadable: Rule = {
  code: 'file-unreadable',
  severity: 'error',
  why: 'what can not be read can not take part, and leaving it out silently would change the agent',
  *check({ discovered, plans }) {
    const { modules, shared } = discovered
    for (const note of discovered.notes) if (note.kind === 'unreadable') yield violation(note.path, note.reason, [])
    yield* unreadModules(modules, shared, [])
    for (const { agent, config, instructions, modules: own } of plans) {
      for (const note of agent.notes)
        if (note.kind === 'unreadable') yield violation(note.path, note.reason, agent.path)
      const { markdown } = agent
      if (instructions === 'markdown' && markdown?.reason !== undefined)
        yield violation(markdown.file, markdown.reason, agent.path)
      const { agentFile } = agent
      // What an unreadable file would have said is not known, so neither is what it would have lost.
      if (agentFile?.reason !== undefined) yield violation(agentFile.file, agentFile.reason, agent.path)
      for (const { file, reason } of config === 'agent'
        ? []
        : agent.skills.flatMap((skill) => [skill, ...skill.references]))
        if (reason !== undefined) yield violation(file, reason, agent.path)
      const files = slotModules(agent).filter((module) => module === agent.config || own.includes(module))
      yield* unreadModules(modules, files, agent.path)
    }
  },
}

/** Modules that can't be read, and what they import. */
function* unreadModules(
  modules: ModuleIndex,
  own: readonly SlotModule[],
  agentPath: readonly string[],
): Iterable<Violation> {
  for (const file of modules.closure(own.map(({ file }) => file))) {
    const read = moduleName(file) === undefined ? undefined : modules.read(file)
    if (read?.ok === false) yield violation(file, read.reason, agentPath)
  }
}

function violation(path: string, reason: string, agentPath: readonly string[]): Violation {
  const fix = /UTF-|NUL/.test(reason) ? 'save it as UTF-8' : 'make it readable, or remove it'
  return { message: `"${path}" can't be read: ${reason}`, place: pathPlace(path), agentPath, fix }
}
