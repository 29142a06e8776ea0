import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Retinue } from '@retinue/core'
import { isRetinueError } from '@retinue/core/errors'
import type { Storage } from '@retinue/core/storage'
import { assembleProject, type ProjectBlueprint } from '@retinue/project/runtime'
import { endProcess } from '../end-process.ts'
import { EXIT } from '../exit-codes.ts'
import { defaultMemory } from '../run/default-memory.ts'
import { exitCodeOf } from '../run/run-end.ts'
import { watchStrayErrors } from '../run/stray-errors.ts'
import { portOf } from '../serve/port.ts'
import { problemText } from '../serve/problem-text.ts'
import { assertAnswered, assertProviderKnown, productionModel, unansweredAgents } from '../serve/production-model.ts'
import { type ServedApplication, serveApplication } from '../serve/serve-application.ts'
import { settingsOf } from '../serve/server-settings.ts'
import { markServing } from '../serve/serving-mark.ts'
import { untilSignal } from '../serve/until-signal.ts'
import { UsageError } from '../usage-error.ts'
import { dataRoot } from './data-root.ts'
import { missingPackageText } from './missing-package.ts'
import { outputArgs } from './output-args.ts'

export { applicationOf } from '@retinue/project/runtime'

/** What a build gives its entry. */
export interface OutputOptions {
  readonly blueprint: ProjectBlueprint
  /** What modules export as their defaults, by file. */
  readonly values: ReadonlyMap<string, unknown>
  /** The URL of the entry, in a folder of the output. */
  readonly here: string
  /** Makes the storage of an application that has none. */
  readonly defaultStorage?: (root: string) => Promise<Storage>
  readonly port?: number
  readonly host?: string
  /** The arguments of the process, where it is an output and nothing else; they go before variables. */
  readonly args?: readonly string[]
  /** Whether to refuse to start where an agent has no language model; else that is told, and its runs fail. */
  readonly strict?: boolean
}

/** Serves what was built until the process is asked to end; then it ends the process. */
export async function startOutput(options: OutputOptions): Promise<never> {
  const err = (text: string): boolean => process.stderr.write(text)
  const { fatal, finished } = watchStrayErrors(err)
  try {
    const served = await Promise.race([open(options, err), fatal])
    // Who reads where it serves may ask it to end at once.
    const asked = untilSignal()
    process.stdout.write(`retinue  ${served.url}\n`)
    const code = await Promise.race([asked, fatal])
    await Promise.race([served.close(), fatal])
    finished()
    return endProcess(code)
  } catch (error) {
    finished()
    return endProcess(tellFailure(error, options.here, err))
  }
}

/** What kept it from starting, or ended it. Gives the exit code. */
function tellFailure(error: unknown, here: string, err: (text: string) => void): number {
  err(missingPackageText(error, outputOf(here)) ?? problemText(error))
  if (error instanceof UsageError) return EXIT.usage
  return isRetinueError(error) ? exitCodeOf(error) : EXIT.failed
}

/** The folder of the output, in which each build has a folder, and in that the entry has one. */
function outputOf(here: string): string {
  return dirname(buildOf(here))
}

function buildOf(here: string): string {
  return dirname(dirname(fileURLToPath(here)))
}

async function open(options: OutputOptions, err: (text: string) => void): Promise<ServedApplication> {
  const { blueprint, values, here, defaultStorage, strict = false } = options
  const asked = { ...options, ...outputArgs(options.args ?? []) }
  const port = asked.port ?? portOf(process.env['PORT'], 'PORT')
  const host = asked.host ?? (process.env['HOST'] || undefined)
  const output = outputOf(here)
  const root = dataRoot(output, process.cwd(), process.env)
  const unmark = markServing(root, buildOf(here))
  // For tools that write below it.
  process.env['RETINUE_ROOT'] = root
  const resolveModel = productionModel(process.env)
  const memory = defaultMemory()
  let storage: Storage | undefined
  const project = await assembleProject({
    blueprint,
    values,
    root,
    sources: join(buildOf(here), 'files'),
    defaults: {
      memory,
      ...(defaultStorage === undefined ? {} : { storage: async () => (storage = await defaultStorage(root)) }),
    },
  })
  const close = async (): Promise<void> => {
    unmark()
    await memory.settled()
    await project.close().finally(() => storage?.close())
  }
  try {
    await assertModels(project.app, strict, err)
    const { app, schedules, server } = project
    const settings = settingsOf(server)
    return await serveApplication({ app, schedules, settings, close }, { port, host, resolveModel, err })
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

async function assertModels(app: Retinue, strict: boolean, err: (text: string) => void): Promise<void> {
  const agents = Object.values(app.listAgents())
  assertProviderKnown(agents, process.env)
  if (strict) return assertAnswered(agents, process.env)
  const unanswered = await unansweredAgents(agents, process.env)
  if (unanswered.length === 0) return
  const variables = [...new Set(unanswered.flatMap((agent) => agent.variables))].join(' and ')
  err(`warning: ${variables} not set: no model answers for ${unanswered.map(({ path }) => path).join(', ')}\n`)
}
