import type { Agent } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import { loadProject } from '@retinue/project'
import { loadEnvFiles } from '../load-env.ts'

/** The agent of a project, by name, with the variables of the project's `.env` files. Throws `agent-unknown` or `project-invalid`. */
export async function openAgent(cwd: string, name: string, dir?: string): Promise<Agent> {
  loadEnvFiles(cwd)
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
