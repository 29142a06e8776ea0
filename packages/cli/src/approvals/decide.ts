import { isRetinueError } from '@retinue/core/errors'
import { modelChooser } from '../run/choose-model.ts'
import { decideCall, type Verdict } from '../run/decide-call.ts'
import { decidedBy } from '../run/decided-by.ts'
import { openApplication } from '../run/open-application.ts'
import { RunProgress } from '../run/run-progress.ts'
import { tellFailure, tellOutcome } from '../run/tell-outcome.ts'
import { type FoundRun, findRun, meantCall } from './find-run.ts'
import { forCommandLine } from './hints.ts'
import type { ApprovalsOptions } from './options.ts'

export interface DecideOptions extends ApprovalsOptions {
  readonly runId: string
  /** Left out: the only call that waits. */
  readonly toolCallId?: string | undefined
  readonly verdict: Verdict
  readonly model?: string | undefined
}

/** Decides a call that waits, in whichever process its run began, and shows the rest of the run as `run` does. Gives the exit code. */
export async function decide(options: DecideOptions): Promise<number> {
  const { fatal } = options
  try {
    const ended = openApplication(options).then(({ agents, close }) =>
      findRun(agents, options.runId)
        .then((run) => decideIn(run, options))
        .finally(close),
    )
    return await (fatal === undefined ? ended : Promise.race([ended, fatal]))
  } catch (error) {
    return tellFailure(isRetinueError(error) ? forCommandLine(error, options.runId) : error, options)
  }
}

/** Decides a call of a run that was found, and shows what follows. Rejects with what keeps it from being decided. */
export async function decideIn(run: FoundRun, options: DecideOptions): Promise<number> {
  const { cwd, dir, model, json, color, out, err } = options
  const toolCallId = options.toolCallId ?? meantCall(run)
  const stream = await decideCall(run.agent, options.verdict, {
    runId: run.runId,
    decidedBy: decidedBy(),
    resolveModel: modelChooser(model, process.env, cwd),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  })
  const progress = new RunProgress({ err, color })
  const result = await progress.follow(stream)
  const { threadId } = run
  const { collector } = progress
  return tellOutcome(result, { agent: run.name, threadId, collector, json, flags: { dir, model }, out, err })
}
