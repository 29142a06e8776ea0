import { unknownNameFix } from '../names.ts'
import { AgentIdentities } from './agent-identities.ts'
import { backgroundOf, describeConfig, reachOf } from './describe-config.ts'
import { delegationSet } from './describe-hooks.ts'
import type { ConfigFact, Refusal } from './facts.ts'
import { optionsRefusals } from './refusal.ts'

/** Options that stand in other places than the frontmatter: they are code, folders, or the text below it. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['instructions', 'write them below the frontmatter'],
  ['tools', 'put each tool into a file of its own in "tools/"'],
  ['agents', 'put each subagent into a folder of its own in "subagents/"'],
  ['workspace', 'put the files into the folder "workspace/"'],
  ['memory', 'write a memory.ts: a memory is code'],
  ['skills', 'put each skill into a file or folder of its own in "skills/"'],
  ['inputProcessors', 'put each into a file of its own in "processors/input/"'],
  ['outputProcessors', 'put each into a file of its own in "processors/output/"'],
  ['scorers', 'put each into a file of its own in "scorers/"'],
  ['inputSchema', 'write a config.ts: a schema is code'],
  ['outputSchema', 'write a config.ts: a schema is code'],
])

/** What core judges; the rest of what can stand here has rules of its own. */
const OPTIONS: ReadonlySet<string> = new Set([
  'maxDepth',
  'maxRetries',
  'delegation',
  'relay',
  'budget',
  'requireToolApproval',
  'durable',
  'backgroundTasks',
  'defaultOptions',
])

const JUDGED: ReadonlySet<string> = new Set(['id', 'name', 'description', 'model'])

/** What rules need to know of a frontmatter: that of a config, and each option that it can't hold by itself. */
export function describeFrontmatter(dirName: string, values: Readonly<Record<string, unknown>>): ConfigFact {
  const entries = Object.entries(values)
  const plain = Object.fromEntries(entries.filter(([key]) => JUDGED.has(key)))
  const refusals = entries.flatMap(([key, value]): readonly Refusal[] => {
    if (JUDGED.has(key)) return []
    if (OPTIONS.has(key))
      return optionsRefusals(dirName, { [key]: value }).map((refusal) => ({ ...refusal, option: key }))
    const hint = ELSEWHERE.get(key)
    if (hint !== undefined)
      return [{ message: `"${key}" can't stand in the frontmatter of an agent.md`, hint, option: key }]
    const unknown = unknownNameFix(key, [...JUDGED, ...OPTIONS])
    return [{ message: `"${key}" means nothing here`, hint: unknown, option: key }]
  })
  const delegation = delegationSet(values['defaultOptions'])
  const given = { delegation, reach: reachOf(values), background: backgroundOf(values) }
  return { ...describeConfig(dirName, plain, new AgentIdentities()), ...given, refusals }
}
