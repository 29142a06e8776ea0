import { editDistance } from '../names.ts'
import type { AgentPlan } from '../plan.ts'
import { isWrittenAsCode, type Mention, mentionsIn } from './mentions.ts'
import { instructionsOf } from './prompts.ts'
import type { Rule, Violation } from './rule.ts'

/** Instructions that send the model to a tool or a subagent that it does not have. */
export const instructionsNameUnknown: Rule = {
  code: 'instructions-name-unknown',
  severity: 'warning',
  why: 'a model calls what its instructions name: a name that is not there costs a failed call, or is passed over',
  *check(context) {
    const known = namesOfAll(context.plans)
    const hasShared = context.discovered.shared.some(({ slot }) => slot === 'memory')
    for (const plan of context.plans) {
      const prompt = instructionsOf(context, plan)
      const own = ownNames(plan, hasShared)
      if (prompt === undefined || own === undefined) continue
      const told = new Set<string>()
      for (const mention of mentionsIn(prompt.text)) {
        const { name, start } = mention
        if (told.has(name)) continue
        const violation = judge(plan, mention, own, known)
        if (violation === undefined) continue
        told.add(name)
        yield { ...violation, place: prompt.at(start, start + name.length), agentPath: plan.agent.path }
      }
    }
  },
}

/** What a memory brings, where its notes are turned on. */
const MEMORY_TOOL = 'updateWorkingMemory'

/** What an agent's model can call, by name. */
interface OwnNames {
  readonly tools: ReadonlySet<string>
  readonly subagents: ReadonlySet<string>
}

/** `undefined` where only running the agent tells what it has. `hasShared`: top-level agents have the application's memory. */
function ownNames(
  { agent, config, tools, workspace, memory, subagents, coded }: AgentPlan,
  hasShared: boolean,
): OwnNames | undefined {
  if (config === 'unknown' || config === 'agent' || workspace?.isKnown === false) return undefined
  const forms = config === 'none' ? [] : [config.tools.form, config.agents.form]
  if (forms.includes('function') || forms.includes('wrong')) return undefined
  const shared = hasShared && agent.path.length === 1
  const remembers = shared || memory !== undefined || (config !== 'none' && config.memory === 'given')
  const builtIn = config === 'none' ? [] : config.workspace.tools
  return {
    tools: new Set([...tools.map(({ key }) => key), ...builtIn, ...(remembers ? [MEMORY_TOOL] : [])]),
    subagents: new Set([...subagents, ...coded].map(({ key }) => key)),
  }
}

/** The names of all agents, tools and skills: one agent may be told of another's. */
function namesOfAll(plans: readonly AgentPlan[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { agent, tools, coded, config, skills } of plans) {
    names.add(agent.key)
    for (const { key } of [...tools, ...coded]) names.add(key)
    for (const { name } of skills) names.add(name)
    if (typeof config !== 'object') continue
    for (const fact of [config.id, config.name]) if (fact.form === 'text') names.add(fact.text)
  }
  return names
}

type Judged = Pick<Violation, 'message' | 'fix' | 'label'>

function judge(plan: AgentPlan, mention: Mention, own: OwnNames, known: ReadonlySet<string>): Judged | undefined {
  const { name, as, isCode } = mention
  if (own.tools.has(name) || own.subagents.has(name)) return undefined
  if (known.has(name) && as !== 'delegate') return undefined
  const meant = meantName(mention, own)
  // What only looks like a name may be anything, unless there is one that it nearly is.
  const isSaid = isCode && as !== undefined
  if (meant === undefined && !isSaid) return undefined
  const isSubagent = meant === undefined ? as !== 'tool' : own.subagents.has(meant)
  const what = isSubagent ? 'subagent' : 'tool'
  const message = `the instructions of "${plan.agent.key}" name "${name}", and it has no ${what} of that name`
  if (meant === undefined) return { message, fix: fixOf(plan, what, name) }
  return { message, fix: `write "${meant}": that is what the ${what} is called`, label: `write \`${meant}\`` }
}

function fixOf({ agent: { dir } }: AgentPlan, what: 'tool' | 'subagent', name: string): string {
  const missing = what === 'tool' ? `"${dir}/tools/${name}.ts"` : `"${dir}/subagents/${name}/"`
  return `correct the name, or add ${missing}`
}

/** The own name that is most likely meant: the same in another form, or a slip of the finger away. */
function meantName({ name, as, isCode }: Mention, { tools, subagents }: OwnNames): string | undefined {
  const candidates = as === 'tool' ? [...tools, ...subagents] : [...subagents, ...tools]
  const isNear = (candidate: string): boolean => {
    // In plain words `Writer` is as good as `writer`.
    if (!isCode && name.toLowerCase() === candidate.toLowerCase()) return false
    if (bareForm(name) === bareForm(candidate)) return true
    return (as !== undefined || isWrittenAsCode(name)) && isSlip(name, candidate)
  }
  return candidates.find(isNear)
}

/** `writer-agent`, `writerAgent` and `Writer` are forms of `writer`. */
function bareForm(name: string): string {
  const letters = name.toLowerCase().replace(/[_-]/g, '')
  return letters.replace(/(?<=..)(?:sub)?agent$|(?<=..)tool$/, '')
}

/** One letter wrong, missing or too many, or two in the wrong order. A plural is another word. */
function isSlip(name: string, candidate: string): boolean {
  if (Math.min(name.length, candidate.length) < 5) return false
  if (`${name}s` === candidate || name === `${candidate}s`) return false
  const distance = editDistance(name, candidate, 3)
  return distance <= 1 || (distance === 2 && sorted(name) === sorted(candidate))
}

function sorted(name: string): string {
  return [...name].sort().join('')
}
