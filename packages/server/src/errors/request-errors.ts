import { RetinueError } from '@retinue/core/errors'

/** What is wrong with a request, where no part of it says more. `issues`: each with the way to it. */
export function requestInvalid(message: string, hint: string, issues: readonly string[] = []): RetinueError {
  return new RetinueError({ code: 'request-invalid', message, hint, data: { issues } })
}

export function routeNotFound(method: string, path: string): RetinueError {
  return new RetinueError({
    code: 'route-not-found',
    message: `There is nothing at ${method} ${path}.`,
    hint: 'GET /openapi.json lists what there is.',
  })
}

export function methodNotAllowed(method: string, path: string, allowed: readonly string[]): RetinueError {
  return new RetinueError({
    code: 'method-not-allowed',
    message: `${path} does not take ${method}.`,
    hint: `It takes ${allowed.join(', ')}.`,
    data: { allowed },
  })
}

export function authRequired(hint: string): RetinueError {
  return new RetinueError({ code: 'auth-required', message: 'Who asks is not known.', hint })
}

export function serverClosing(): RetinueError {
  return new RetinueError({
    code: 'server-closing',
    message: 'The server is about to end and takes no new work.',
    hint: 'Try again in a moment: another may have taken its place.',
  })
}

/** What exists for others is answered as what does not exist. */
export function runNotFound(runId: string): RetinueError {
  return new RetinueError({
    code: 'run-not-found',
    message: `There is no run "${runId}".`,
    hint: 'It may have ended: what it said is in its thread.',
  })
}

export function runAborted(): RetinueError {
  return new RetinueError({
    code: 'run-aborted',
    message: 'The run was ended before it had answered.',
    hint: 'Ask again if you still want to know.',
  })
}

export function threadBusy(threadId: string): RetinueError {
  return new RetinueError({
    code: 'thread-busy',
    message: `Another run goes on in the thread "${threadId}". Nothing was begun.`,
    hint: 'Wait until it has ended, or end it: POST /api/runs/{runId}/cancel.',
    data: { threadId },
  })
}

export function memoryMissing(agentId: string | undefined): RetinueError {
  return new RetinueError({
    code: 'memory-missing',
    message: agentId === undefined ? 'No agent has a memory.' : `The agent "${agentId}" has no memory.`,
    hint: 'Give it one: memory: new Memory(), of @retinue/memory.',
  })
}

export function settingsInvalid(message: string, hint: string): RetinueError {
  return new RetinueError({ code: 'server-settings-invalid', message, hint })
}
