import { Agent, type AgentOptions } from '../src/agent/index.ts'
import { Retinue, type RetinueOptions } from '../src/retinue.ts'
import { InMemoryStorage, type Storage } from '../src/storage/index.ts'
import { type Script, type ScriptedModels, scriptedModels } from '../src/testing/index.ts'
import { createTool, type Tool } from '../src/tools/index.ts'

/** A tool that a person has to decide, and what it was started with. */
export function gatedTool(more: Partial<Parameters<typeof createTool>[0]> = {}): {
  readonly tool: Tool
  readonly ran: unknown[]
} {
  const ran: unknown[] = []
  const execute = (input: unknown): unknown => {
    ran.push(input)
    return { done: input }
  }
  return { tool: createTool({ id: 'act', requireApproval: true, execute, ...more }) as Tool, ran }
}

/** How the agents of a tree are made: the same way in each process. */
export type MakeTree = (models: ScriptedModels) => Agent

/** A tree `sup` → `mid` → `leaf`, as deep as `depth` says; the lowest has the tools. */
export function chain(
  depth: 1 | 2 | 3,
  tools: Readonly<Record<string, Tool>>,
  options: Partial<AgentOptions> = {},
): MakeTree {
  return (models) => {
    const made = (id: string, path: string, own: Partial<AgentOptions>): Agent =>
      new Agent({ id, description: 'd', model: models.at(path), ...own })
    if (depth === 1) return made('sup', 'sup', { tools, ...options })
    if (depth === 2) return made('sup', 'sup', { agents: { mid: made('mid', 'sup/mid', { tools }) }, ...options })
    const leaf = made('leaf', 'sup/mid/leaf', { tools })
    return made('sup', 'sup', { agents: { mid: made('mid', 'sup/mid', { agents: { leaf } }) }, ...options })
  }
}

/** Processes that share a storage, and models that play their script once, whichever process asks. */
export class Processes {
  readonly storage: Storage
  readonly models: ScriptedModels

  constructor(script: Script, storage: Storage = new InMemoryStorage()) {
    this.storage = storage
    this.models = scriptedModels(script)
  }

  /**
   * The agent as a new process has it: nothing but the storage is left of what came before. `make` may differ from process to process,
   * as code does.
   */
  start(make: MakeTree, more: Pick<RetinueOptions, 'durable' | 'backgroundTasks'> = {}): Agent {
    return this.mortal(make, more).agent
  }

  /** A process that can die: from then on nothing of it reaches the storage, and what it waits for never comes. */
  mortal(
    make: MakeTree,
    more: Pick<RetinueOptions, 'durable' | 'backgroundTasks'> = {},
  ): { agent: Agent; app: Retinue; die: () => void } {
    let isDead = false
    const until = <D extends object>(domain: D): D =>
      new Proxy(domain, {
        get: (target, key) => {
          const member: unknown = Reflect.get(target, key)
          if (typeof member !== 'function') return member
          return (...values: unknown[]) => (isDead ? new Promise(() => {}) : Reflect.apply(member, target, values))
        },
      })
    const { id, threads, workingMemory, runs, approvals, tasks } = this.storage
    const storage: Storage = {
      id,
      threads: until(threads),
      workingMemory: until(workingMemory),
      runs: until(runs),
      approvals: until(approvals),
      tasks: until(tasks),
      close: async () => {},
    }
    const app = new Retinue({ agents: { sup: make(this.models) }, storage, logger: false, ...more })
    const die = (): void => {
      isDead = true
    }
    return { agent: app.getAgent('sup'), app, die }
  }
}

/** The turns of a chain: each asks the next, the lowest acts once; then each answers. */
export function chainScript(depth: 1 | 2 | 3, args: unknown = { to: 'ada' }): Script {
  const act = [{ calls: [{ id: 'call-act', name: 'act', args }] }, { text: 'acted' }]
  const ask = (name: string) => [
    { calls: [{ id: `call-${name}`, name, args: { prompt: 'P' } }] },
    { text: `${name} done` },
  ]
  if (depth === 1) return { sup: act }
  if (depth === 2) return { sup: ask('mid'), 'sup/mid': act }
  return { sup: ask('mid'), 'sup/mid': ask('leaf'), 'sup/mid/leaf': act }
}
