import { randomUUID } from 'node:crypto'
import type { Agent } from '@retinue/core/agent'
import { approveAll } from './approve-all.ts'
import { modelChooser } from './choose-model.ts'
import { LOCAL_RESOURCE } from './default-storage.ts'
import { openAgent } from './open-application.ts'

import { RunProgress } from './run-progress.ts'
import { tellFailure, tellOutcome } from './tell-outcome.ts'

export interface RunAgentOptions {
  /** The project's directory. */
  cwd: string
  agent: string
  request: string
  model?: string | undefined
  dir?: string | undefined
  /** The conversation to go on with. Default: a new one. */
  thread?: string | undefined
  /** Every call that waits is approved, and that is shown. */
  yes?: boolean
  json: boolean
  color: boolean
  out: (text: string) => void
  err: (text: string) => void
  /** Rejects when the process can't be trusted to go on. */
  fatal?: Promise<never> | undefined
}

/** Runs an agent of a project on a request, shows its delegations while they happen, then prints the answer. Gives the exit code. */
export async function runAgent(options: RunAgentOptions): Promise<number> {
  const { fatal } = options
  try {
    const ended = openAgent(options).then(({ agent, close }) => runToEnd(agent, options).finally(close))
    return await (fatal === undefined ? ended : Promise.race([ended, fatal]))
  } catch (error) {
    return tellFailure(error, options)
  }
}

async function runToEnd(agent: Agent, options: RunAgentOptions): Promise<number> {
  const { request, json, color, out, err, dir, model } = options
  const threadId = options.thread ?? `run-${randomUUID()}`
  const resolveModel = modelChooser(model, process.env, options.cwd)
  const stream = await agent.stream(request, {
    resolveModel,
    untilIdle: true,
    memory: {
      thread: { id: threadId, title: request.slice(0, 60), metadata: { agent: agent.id } },
      resource: LOCAL_RESOURCE,
    },
  })
  const progress = new RunProgress({ err, color })
  const first = await progress.follow(stream)
  const result = options.yes ? await approveAll(first, { agent, resolveModel, progress, err }) : first
  const { collector } = progress
  return tellOutcome(result, {
    agent: options.agent,
    request,
    threadId,
    collector,
    json,
    flags: { dir, model },
    out,
    err,
  })
}
