import { type ChooseModel, isAgent, type ModelChoice, type ModelUse, RequestContext } from '@retinue/core'
import type { Agent } from '@retinue/core/agent'

/** An agent of a tree, and which model answers for it. */
export interface AgentModel {
  /** The root's id, or the key that its parent delegates to it by. */
  readonly key: string
  readonly depth: number
  /** Undefined where it can't be told before a request is there. */
  readonly use: ModelUse | undefined
  readonly tools: readonly string[]
}

/** An agent at its place in a tree. */
interface Place {
  readonly agent: Agent
  /** The root's id, and the keys that lead here. */
  readonly path: readonly string[]
  readonly above: readonly Agent[]
  readonly line: AgentModel
  readonly below: Place[]
}

/**
 * The agents of a tree, parents first, as they would answer now. A tree that is made in code may hand an agent to several others, and lead
 * back to where it came from: what an agent delegates to is told once, where it stands highest, and nobody below itself.
 */
export async function agentModels(root: Agent, choose: ChooseModel): Promise<AgentModel[]> {
  const placeOf = async (agent: Agent, path: readonly string[], above: readonly Agent[]): Promise<Place> => {
    const tools = Object.keys((await settled(agent.options.tools)) ?? {})
    const line = { key: path.at(-1) ?? agent.id, depth: above.length, use: await useOf(agent, path, choose), tools }
    return { agent, path, above, line, below: [] }
  }
  const first = await placeOf(root, [root.id], [])
  const told = new Set<unknown>()
  const places = [first]
  for (const { agent, path, above, below } of places) {
    if (told.has(agent.options)) continue
    told.add(agent.options)
    const around = [...above, agent]
    for (const [key, child] of Object.entries((await settled(agent.options.agents)) ?? {})) {
      if (!isAgent(child) || around.some(({ options }) => options === child.options)) continue
      below.push(await placeOf(child, [...path, key], around))
    }
    places.push(...below)
  }
  return linesOf(first)
}

function linesOf({ line, below }: Place): AgentModel[] {
  return [line, ...below.flatMap(linesOf)]
}

async function useOf(agent: Agent, path: readonly string[], choose: ChooseModel): Promise<ModelUse | undefined> {
  const setting = await settled(agent.options.model)
  if (setting === undefined && agent.options.model !== undefined) return undefined
  const declared: readonly ModelChoice[] = isList(setting) ? setting : setting === undefined ? [] : [setting]
  const names = declared.map(nameOf).join(', else ') || 'none'
  const chosen = await choose({ declared, agentId: agent.id, path })
  if (chosen === undefined) return { requested: names, used: names }
  const first = declared[0]
  const requested = first === undefined ? 'none' : nameOf(first)
  return typeof chosen === 'object' && 'use' in chosen
    ? { requested, used: nameOf(chosen.use), why: chosen.why }
    : { requested, used: nameOf(chosen) }
}

function isList(setting: ModelChoice | readonly ModelChoice[] | undefined): setting is readonly ModelChoice[] {
  return Array.isArray(setting)
}

function nameOf(model: ModelChoice): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.modelId}`
}

type Given<T> = T | ((context: { requestContext: RequestContext }) => T | Promise<T>)

/** A setting, or what its function gives for a request that says nothing about itself, as those of a conversation are. */
async function settled<T>(setting: Given<T>): Promise<T | undefined> {
  if (typeof setting !== 'function') return setting
  try {
    return await (setting as (context: { requestContext: RequestContext }) => T | Promise<T>)({
      requestContext: new RequestContext(),
    })
  } catch {
    return undefined
  }
}
