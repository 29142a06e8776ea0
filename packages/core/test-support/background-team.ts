import { Agent, type AgentOptions, type RunStream } from '../src/agent/index.ts'
import type { Chunk } from '../src/events/chunk.ts'
import { Retinue, type RetinueOptions } from '../src/retinue.ts'
import { type Script, type ScriptedCall, type ScriptedModels, scriptedModels } from '../src/testing/index.ts'

/** How a supervisor `sup` with the subagents `a`, `b` … of a script runs them in the background. */
export interface Team {
  readonly app: Retinue
  readonly sup: Agent
  readonly models: ScriptedModels
}

/** A team whose subagents are those that the script names (`sup/a`), each run in the background unless `sup` says otherwise. */
export function team(
  script: Script,
  {
    sup: own = {},
    children = {},
    ...application
  }: Partial<RetinueOptions> & {
    readonly sup?: Partial<AgentOptions>
    /** Of each subagent, by its key. */
    readonly children?: Readonly<Record<string, Partial<AgentOptions>>>
  } = {},
): Team {
  const models = scriptedModels(script)
  const app = new Retinue({
    agents: { sup: teamAgent(models, Object.keys(script), own, children) },
    backgroundTasks: { enabled: true },
    logger: false,
    ...application,
  })
  return { app, sup: app.getAgent('sup') as Agent, models }
}

/** The supervisor of a team. */
function teamAgent(
  models: ScriptedModels,
  paths: readonly string[],
  own: Partial<AgentOptions> = {},
  children: Readonly<Record<string, Partial<AgentOptions>>> = {},
): Agent {
  const keys = paths.flatMap((path) => path.match(/^sup\/([^/]+)$/)?.[1] ?? [])
  const agents = Object.fromEntries(
    keys.map((key) => [
      key,
      new Agent({ id: key, description: 'd', model: models.at(`sup/${key}`), ...children[key] }),
    ]),
  )
  const tools = Object.fromEntries(keys.map((key) => [key, { enabled: true }]))
  return new Agent({ id: 'sup', model: models.at('sup'), agents, backgroundTasks: { tools }, ...own })
}

/** A call of a subagent. */
export function ask(key: string, prompt = `do ${key}`, id = `${key}-call`): { id: string; name: string; args: object } {
  return { id, name: key, args: { prompt } }
}

/** How often a text stands in what a model was asked. */
export function times(call: ScriptedCall | undefined, text: string): number {
  return (call?.text ?? '').split(text).length - 1
}

/** All that a run told, flat. */
export async function eventsOf(stream: RunStream): Promise<Chunk[]> {
  const events: Chunk[] = []
  for await (const chunk of stream.events) events.push(chunk)
  return events
}

/** What it told of tasks: the states, in order. */
export function statesOf(events: readonly Chunk[]): string[] {
  return events.flatMap(({ type }) =>
    type.startsWith('background-task-') ? [type.slice('background-task-'.length)] : [],
  )
}
