import type { JSONValue } from '@ai-sdk/provider'
import type { Question } from '../approvals/question.ts'
import { disarm, disarmJson } from '../messages/framework-note.ts'
import { isToolName, legalToolName } from '../shared/tool-name.ts'
import { failed, type Outcome } from '../tools/outcome.ts'
import { parseArguments } from '../tools/parse-arguments.ts'
import type { CallRef, LoopTool, ToolSet } from './run.ts'

/** A call that the model made, ready to run or already failed; its `toolName` is legal for every provider, whatever the model wrote. */
export interface PendingCall extends CallRef {
  /** Always an object, as every provider wants it in a history. */
  readonly args: Record<string, unknown>
  readonly tool: LoopTool | undefined
  /** Why the call can't run. */
  readonly problem: Outcome | undefined
  readonly warning: string | undefined
  /** How it ended, once it has. */
  outcome?: Outcome
  /** What it waits for, or was decided about. */
  question?: Question
  /** Whether the budget has counted it. */
  counted?: true
  /**
   * It goes on apart from the run that made it, where its gates let it start: `decided` by a person, and then started once. Undefined: its
   * gates are asked.
   */
  allowed?: Allowed
  /** What a person put in place of its arguments. */
  edited?: unknown
}

/** How far a call is that was let start where it was made. */
export type Allowed = 'free' | 'decided' | 'started'

/** The call that a model's words make, among the tools that there are. */
export function pendingCall(toolCallId: string, name: string, input: unknown, tools: ToolSet): PendingCall {
  const toolName = legalToolName(name)
  const tool = isToolName(name) ? tools.byName.get(name) : undefined
  const parsed = parseArguments(input)
  const args = parsed.ok
    ? (disarmJson(parsed.args as JSONValue) as Record<string, unknown>)
    : { unreadable: disarm(String(input)) }
  const unwrapped =
    parsed.ok && parsed.unwrapped ? `The arguments of "${toolName}" were JSON text inside a JSON string.` : undefined
  const problem = tool ? (parsed.ok ? undefined : unreadable(toolName, parsed.reason, tool)) : unknownTool(name, tools)
  return { toolCallId, toolName, args, tool, problem, warning: unwrapped }
}

/** What a model reads that calls a tool which is not there. */
export function unknownTool(name: string, tools: ToolSet): Outcome {
  const names = [...tools.byName.keys()]
  return failed(
    'tool-unknown',
    `There is no tool ${JSON.stringify(name.slice(0, 100))}.`,
    names.length === 0
      ? 'There are no tools here: answer in text.'
      : `Use one of these exact names: ${names.join(', ')}.`,
  )
}

function unreadable(name: string, reason: string, tool: LoopTool): Outcome {
  return failed(
    'tool-arguments-invalid',
    `The arguments of "${name}" are not a JSON object: ${reason}. Nothing was run.`,
    `Expected: ${JSON.stringify(tool.definition.inputSchema)}`,
  )
}
