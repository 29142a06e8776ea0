import type { Retinue } from '@retinue/core'
import type { Agent } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import type { Storage } from '@retinue/core/storage'
import { loadProject, type OwnedSchedule, plainFinding } from '@retinue/project'
import { checkAt } from '../check-at.ts'
import { loadEnvFiles } from '../load-env.ts'
import { renderAll } from '../render-findings.ts'
import { defaultStorage } from './default-storage.ts'

/** Where an application is, and where it is told what keeps it from being opened. */
export interface OpenApplicationOptions {
  /** The project's directory. */
  readonly cwd: string
  readonly dir?: string | undefined
  readonly err: (text: string) => void
  readonly color?: boolean
}

/** The agents of a project by name, with what keeps their conversations and runs. */
export interface OpenedApplication {
  readonly agents: Readonly<Record<string, Agent>>
  readonly app: Retinue
  /** What the agents do by themselves, where something runs them. */
  readonly schedules: readonly OwnedSchedule[]
  /** Lets go of the storage. */
  close(): Promise<void>
}

/** The agent of a project, by name. Throws what `openApplication` throws, or `agent-unknown`. */
export async function openAgent(
  options: OpenApplicationOptions & { readonly agent: string },
): Promise<{ readonly agent: Agent; readonly app: Retinue; close(): Promise<void> }> {
  const { agents, app, close } = await openApplication(options)
  const agent = agents[options.agent]
  if (agent) return { agent, app, close }
  // Why it failed is what counts.
  await close().catch(() => {})
  throw unknownAgent(options.agent, Object.keys(agents))
}

/**
 * The agents of a project, with the variables of the project's `.env` files. The project is checked first, in a process of
 * its own: a module that hangs or ends its process must not do that to this one. Conversations are kept in the project's storage, else
 * in a database under `.retinue/data`. Throws `project-invalid`, after the findings have been told as `retinue check` tells them.
 */
export async function openApplication(options: OpenApplicationOptions): Promise<OpenedApplication> {
  const { cwd, dir, err, color = false } = options
  loadEnvFiles(cwd)
  const { findings, errors } = await checkAt(cwd, dir)
  if (errors > 0) {
    err(`${renderAll(findings, color)}\n`)
    throw new RetinueError({
      code: 'project-invalid',
      message: `Nothing was run: the project has ${errors === 1 ? '1 error' : `${errors} errors`}.`,
      data: { findings: findings.map(plainFinding) },
    })
  }
  const memory = (await import('./default-memory.ts')).defaultMemory()
  let storage: Storage | undefined
  let closeProject = async (): Promise<void> => {}
  const close = async (): Promise<void> => {
    // What a memory does after a run, such as finding a title, is waited for before its storage is let go.
    await memory.settled()
    await closeProject().finally(() => storage?.close())
  }
  try {
    const project = await loadProject(cwd, {
      ...(dir === undefined ? {} : { dir }),
      defaults: {
        storage: async () => (storage = await defaultStorage(cwd, err)),
        memory,
      },
    })
    closeProject = project.close
    const { app, schedules } = project
    return { agents: app.listAgents(), app, schedules, close }
  } catch (error) {
    // Nobody gets what would close it. Why it failed is what counts.
    await close().catch(() => {})
    throw error
  }
}

function unknownAgent(name: string, known: string[]): RetinueError {
  return new RetinueError({
    code: 'agent-unknown',
    message: `There is no agent "${name}" in this project.`,
    hint: known.length === 0 ? 'It has no agents yet.' : `Its agents are ${known.join(', ')}.`,
  })
}
