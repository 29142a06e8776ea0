import type { Agent, DelegateNames, DelegationOptions } from '@retinue/core/agent'

/**
 * What types know of the agents in a project's folders. `retinue check` writes a file that fills it (`.retinue/types.d.ts`); where that
 * is not part of the program, any name is as good as another.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the written file adds `agents` to it
export interface ProjectTypes {}

/** An agent of a folder, as the written file has it. */
export interface AgentTypes {
  readonly id: string
  /** The modules of its tools, by key. */
  readonly tools: Readonly<Record<string, unknown>>
  /** By key. */
  readonly subagents: Readonly<Record<string, AgentTypes>>
}

type Known = ProjectTypes extends { agents: infer A extends Readonly<Record<string, AgentTypes>> } ? A : never

/** The top-level agents of a project, by the name of their folder. */
export type ProjectAgents = [Known] extends [never]
  ? Readonly<Record<string, Agent>>
  : { readonly [K in keyof Known]: TypedAgent<Known[K]> }

/** An agent whose subagents are known. */
export type TypedAgent<T extends AgentTypes> = Agent<
  T['id'],
  { readonly [K in keyof T['subagents']]: TypedAgent<T['subagents'][K]> }
>

/** The paths of the agents of a project: `'supervisor'`, `'supervisor/researcher'`. */
export type AgentPath = [Known] extends [never] ? string : PathsOf<Known>

type PathsOf<A extends Readonly<Record<string, AgentTypes>>> = {
  [K in keyof A & string]: K | `${K}/${PathsOf<A[K]['subagents']>}`
}[keyof A & string]

type At<A, P extends string> =
  A extends Readonly<Record<string, AgentTypes>>
    ? P extends `${infer K}/${infer Rest}`
      ? K extends keyof A
        ? At<A[K]['subagents'], Rest>
        : never
      : P extends keyof A
        ? A[P]
        : never
    : never

/**
 * The type of a `hooks.ts`: its hooks know the keys and ids of the agent's subagents.
 * `export default { … } satisfies HooksOf<'supervisor'>`.
 */
export type HooksOf<P extends AgentPath> = [Known] extends [never]
  ? DelegationOptions
  : At<Known, P> extends infer T extends AgentTypes
    ? DelegationOptions<
        DelegateNames<{ readonly [K in keyof T['subagents']]: { readonly id: T['subagents'][K]['id'] } }>
      >
    : never

/** What the `execute` of an agent's tool takes: `ToolInputOf<'supervisor/researcher', 'search_web'>`. */
export type ToolInputOf<P extends AgentPath, K extends string> =
  At<Known, P> extends infer T extends AgentTypes
    ? K extends keyof T['tools']
      ? InputOfTool<T['tools'][K]>
      : never
    : unknown

/** By the property itself: of an intersection, as `createTool` gives one, nothing is inferred as a whole. */
type InputOfTool<T> = T extends { readonly execute?: unknown }
  ? NonNullable<T['execute']> extends (input: infer I, ...rest: never[]) => unknown
    ? I
    : unknown
  : unknown
