import { RetinueError } from '../errors/retinue-error.ts'
import type { Chunk } from '../events/chunk.ts'
import { ABORTED } from '../shared/abort.ts'
import type { CompiledTool, ContextWith } from '../tools/compile-tool.ts'
import { failedWith, notRun } from '../tools/outcome.ts'
import type { ToolContext, ToolWriter } from '../tools/tool.ts'
import { type CallRef, emit, type LoopTool, type Run } from './run.ts'
import { taskTerms } from './run-tasks.ts'
import { limitedTool } from './time-limits.ts'

/** An ordinary tool as the loop runs it. */
export function loopTool({ execute, background, ...tool }: CompiledTool): LoopTool {
  if (!execute) return tool
  return {
    ...tool,
    ...(background ? { ownTerms: () => taskTerms(background) } : {}),
    execute: async (args, call, run) => {
      const limited = limitedTool(run, call.toolName)
      const { scope } = limited
      const contextWith: ContextWith = (suspend) => toolContext(call, run, scope.signal, suspend)
      const outcome = await scope.race(run.root.effects.runTool(() => execute(args, contextWith)))
      limited.end()
      if (outcome !== ABORTED) return outcome
      const expired = run.scope.aborted ? undefined : limited.expired()
      return expired ? failedWith(expired) : notRun('aborted')
    },
  }
}

function toolContext(
  { toolCallId, toolName, answer }: CallRef,
  run: Run,
  abortSignal: AbortSignal,
  suspend: ToolContext['suspend'],
): ToolContext {
  const { state, thread } = run
  const agent = { suspend, resumeData: answer?.data, threadId: thread?.threadId, resourceId: thread?.resourceId }
  return {
    requestContext: run.requestContext,
    abortSignal,
    writer: toolWriter(toolCallId, toolName, run),
    toolCallId,
    runId: state.runId,
    path: state.path,
    agent,
    ...agent,
    idempotencyKey: `${state.runId}:${toolCallId}`,
  }
}

function toolWriter(toolCallId: string, toolName: string, run: Run): ToolWriter {
  return {
    write: (output) => emit(run, 'tool-output', { output, toolCallId, toolName }),
    custom: (chunk) => {
      const type: unknown = chunk?.type
      if (typeof type !== 'string' || !type.startsWith('data-')) {
        throw new RetinueError({
          code: 'tool-invalid',
          message: `The tool "${toolName}" wrote a chunk of type ${JSON.stringify(type)}.`,
          hint: "A chunk of a tool's own has a type that begins with 'data-'.",
        })
      }
      const { type: _type, ...payload } = chunk
      run.root.log?.push({
        type: type as `data-${string}`,
        runId: run.state.runId,
        from: 'USER',
        path: run.state.path,
        payload,
      } satisfies Chunk)
    },
  }
}
