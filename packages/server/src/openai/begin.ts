import { isRetinueError } from '@retinue/core/errors'
import { memoryMissing, requestInvalid } from '../errors/request-errors.ts'
import { contextOf } from '../http/caller-context.ts'
import { agentOf, type Services } from '../http/services.ts'
import type { Leg } from '../runs/run-hub.ts'
import type { ClientOptions } from '../schemas/run-options.ts'
import type { Caller } from '../settings/caller.ts'
import { beginRun } from '../work/begin-run.ts'
import { type ClientMessage, messagesFromClient } from '../work/client-messages.ts'
import { type ClientFunction, clientTools } from './client-tools.ts'
import type { ToolChoice } from './tool-choice.ts'

export interface Asked extends ToolChoice {
  /** The agent. */
  readonly model: string
  readonly messages: readonly ClientMessage[]
  readonly functions: readonly ClientFunction[]
  readonly threadId: string | undefined
  /** The thread begins with this request: its history is what the client sends. */
  readonly isNewThread?: boolean
  readonly options: ClientOptions
}

/** Begins the run that an OpenAI client asks for. */
export async function beginAsked(
  services: Services,
  { caller, resourceId }: { readonly caller: Caller; readonly resourceId: string },
  { model, messages, functions, withholdsFunctions, toolChoice, threadId, isNewThread, options }: Asked,
): Promise<Leg> {
  const agent = agentOf(services, model)
  const requestContext = contextOf(caller)
  const tools = clientTools(functions)
  const memory = threadId === undefined ? undefined : await agent.getMemory({ requestContext })
  if (threadId !== undefined && !memory) throw memoryMissing(agent.id)
  const thread = threadId !== undefined && memory && !isNewThread ? { memory, threadId, resourceId } : undefined
  const input = await messagesFromClient(messages, { agent, requestContext, thread, more: Object.keys(tools) })
  const more =
    functions.length > 0 && !withholdsFunctions
      ? { toolsets: { client: tools }, ...(toolChoice ? { toolChoice } : {}) }
      : {}
  try {
    return await beginRun(services, { agent, input, caller, resourceId, threadId, options, more })
  } catch (error) {
    const name = isRetinueError(error) && error.code === 'name-collision' ? String(error.data['name']) : undefined
    if (name === undefined || !Object.hasOwn(tools, name)) throw error
    throw requestInvalid(`The agent "${model}" has a tool "${name}" of its own.`, 'Rename yours.')
  }
}

/** A JSON Schema for an answer, of either protocol's format. */
export function structured(type: string, schema: object | null | undefined): Pick<ClientOptions, 'structuredOutput'> {
  if (type === 'text') return {}
  return { structuredOutput: { schema: { ...(schema ?? { type: 'object' }) } } }
}

/** Settings of the model by their AI SDK names; undefined if there are none. */
export function modelSettings(given: {
  readonly temperature?: number | null | undefined
  readonly topP?: number | null | undefined
  readonly maxOutputTokens?: number | null | undefined
  readonly seed?: number | null | undefined
  readonly stopSequences?: readonly string[] | undefined
}): Pick<ClientOptions, 'modelSettings'> {
  const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== null)
  return set.length === 0 ? {} : { modelSettings: Object.fromEntries(set) }
}
