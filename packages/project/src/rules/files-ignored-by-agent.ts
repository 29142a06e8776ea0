import type { Note } from '../discover/agent-dir.ts'
import { pathPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B11.3 */
export const filesIgnoredByAgent: Rule = {
  code: 'files-ignored-by-agent',
  severity: 'warning',
  why: 'an Agent is taken as it is: nothing is added to it',
  *check({ plans }) {
    for (const { agent, config } of plans) {
      if (config !== 'agent') continue
      const beside = new Set([...agent.slots, ...agent.notes.map((note) => entryOf(agent.dir, note))])
      if (agent.config !== undefined) beside.delete(agent.config.file)
      for (const path of beside) {
        yield {
          message: `"${path}" is ignored: ${agent.config?.file} exports an Agent`,
          place: pathPlace(path),
          agentPath: agent.path,
          fix: 'export agentConfig({ … }) instead of new Agent({ … }), or remove it',
        }
      }
    }
  },
}

/** The entry of the agent's own folder that a note is about. */
function entryOf(dir: string, note: Note): string {
  const path = note.kind === 'shadowed' ? note.loser : note.kind === 'same-tool' ? note.files[0] : note.path
  const [name = ''] = path.slice(dir.length + 1).split('/')
  return `${dir}/${name}`
}
