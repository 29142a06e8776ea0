import type { Agent } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import { loadProject, plainFinding } from '@retinue/project'
import { checkAt } from '../check-at.ts'
import { loadEnvFiles } from '../load-env.ts'
import { renderAll } from '../render-findings.ts'

/** Where an agent is, and where it is told what keeps it from being opened. */
export interface OpenAgentOptions {
  /** The project's directory. */
  readonly cwd: string
  readonly agent: string
  readonly dir?: string | undefined
  readonly err: (text: string) => void
  readonly color?: boolean
}

/**
 * The agent of a project, by name, with the variables of the project's `.env` files. The project is checked first, in a process of
 * its own: a module that hangs or ends its process must not do that to this one. Throws `project-invalid`, after the findings have
 * been told as `retinue check` tells them, or `agent-unknown`.
 */
export async function openAgent({ cwd, agent: name, dir, err, color = false }: OpenAgentOptions): Promise<Agent> {
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
  const { agents } = await loadProject(cwd, dir === undefined ? {} : { dir })
  const agent = agents[name]
  if (!agent) throw unknownAgent(name, Object.keys(agents))
  return agent
}

function unknownAgent(name: string, known: string[]): RetinueError {
  return new RetinueError({
    code: 'agent-unknown',
    message: `There is no agent "${name}" in this project.`,
    hint: known.length === 0 ? 'It has no agents yet.' : `Its agents are ${known.join(', ')}.`,
  })
}
