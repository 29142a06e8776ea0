import { isTopLevel, mainFile } from '../discover/agent-dir.ts'
import { type AgentPlan, idOf, plansByDir } from '../plan.ts'
import { applicationAgents } from './application-agents.ts'
import { configPlace, propertyPlace } from './places.ts'
import type { Place, Rule, RuleContext, Violation } from './rule.ts'

/** One of the agents that must not be confused with the others of its group. */
interface Member {
  readonly key: string
  readonly id: string
  /** Where it stands, in a message. */
  readonly from: string
  readonly place: Place
  readonly isDirectory: boolean
}

/** B11.6 */
export const subagentDuplicate: Rule = {
  code: 'subagent-duplicate',
  severity: 'error',
  why: 'an agent is addressed by its id and called by its key: of two equal ones, one is never reached',
  *check(context) {
    const top = context.plans.filter(({ agent }) => isTopLevel(agent)).map((plan) => directoryMember(context, plan))
    yield* duplicates([...applicationMembers(context), ...top], 'top-level agents', [])
    const byDir = plansByDir(context.plans)
    for (const plan of context.plans) {
      const directories = plan.subagents.map((agent) => byDir.get(agent.dir)).filter((child) => child !== undefined)
      const members = [...directories.map((child) => directoryMember(context, child)), ...codedMembers(context, plan)]
      yield* duplicates(members, `subagents of "${plan.agent.key}"`, plan.agent.path)
    }
  },
}

/** A pair of agents that code made is core's to judge: at least one of a pair is a directory. */
function* duplicates(members: readonly Member[], whose: string, parentPath: readonly string[]): Iterable<Violation> {
  for (const [index, member] of members.entries()) {
    for (const earlier of members.slice(0, index)) {
      if (!member.isDirectory && !earlier.isDirectory) continue
      const sameId = earlier.id === member.id
      if (!sameId && earlier.key.toLowerCase() !== member.key.toLowerCase()) continue
      const what = sameId ? `have the id "${member.id}"` : 'have keys that differ only in case'
      yield {
        message: `two ${whose} ${what}: "${earlier.key}" (${earlier.from}) and "${member.key}" (${member.from})`,
        place: member.place,
        agentPath: member.isDirectory ? [...parentPath, member.key] : parentPath,
        fix: sameId ? `give "${member.key}" an id of its own` : `rename "${member.key}"`,
      }
      break
    }
  }
}

function applicationMembers(context: RuleContext): Member[] {
  const { file, entries } = applicationAgents(context)
  return entries.map(({ key, agent }) => {
    const place = propertyPlace(context, file, ['agents', key], 'key')
    return { key, id: agent?.id ?? key, from: `agents in ${file}`, place, isDirectory: false }
  })
}

function directoryMember(context: RuleContext, plan: AgentPlan): Member {
  const { agent } = plan
  return {
    key: agent.key,
    id: idOf(plan),
    from: mainFile(agent),
    place: configPlace(context, agent, ['id'], 'value'),
    isDirectory: true,
  }
}

function codedMembers(context: RuleContext, { agent, coded }: AgentPlan): Member[] {
  return coded.map(({ key, agent: subagent }) => ({
    key,
    id: subagent?.id ?? key,
    from: `config.agents in ${agent.config?.file}`,
    place: configPlace(context, agent, ['agents', key], 'key'),
    isDirectory: false,
  }))
}
