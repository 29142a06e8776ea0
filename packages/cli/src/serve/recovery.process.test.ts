import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CLI, cliProject } from '../../test-support/cli-project.ts'
import { ask, serving } from '../../test-support/output.ts'
import { buildProject } from '../build/build-project.ts'

vi.setConfig({ testTimeout: 60_000 })

const AGENTS = 'src/retinue/agents'

/** A tool that says that it began, and then waits until it may end. */
function holding(about: string): string {
  return `import { existsSync, writeFileSync } from 'node:fs'
import { createTool } from '@retinue/core/tools'
export default createTool({
  id: '${about}', description: 'Fetches the news about ${about}.',
  execute: async () => {
    writeFileSync('begun-${about}', '')
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10))
    return 'all is well with ${about}'
  },
})
`
}

const FILES = {
  [`${AGENTS}/desk/agent.md`]: '---\nmodel: offline/planner\ndurable: true\n---\nWork.\n',
  [`${AGENTS}/desk/tools/otters.ts`]: holding('otters'),
  [`${AGENTS}/lead/agent.md`]:
    '---\nmodel: offline/planner\ndurable: true\nbackgroundTasks:\n  tools:\n    seals:\n      enabled: true\n---\nWork.\n',
  [`${AGENTS}/lead/tools/seals.ts`]: holding('seals'),
  'src/retinue/backgroundTasks.ts': 'export default { enabled: true }\n',
}

interface Known {
  readonly runs: readonly { readonly agentId: string; readonly status: string }[]
  readonly tasks: readonly { readonly status: string; readonly result?: unknown }[]
}

async function known(url: string): Promise<Known> {
  const get = async (path: string): Promise<object> => (await (await fetch(url + path)).json()) as object
  return { ...(await get('/api/runs')), ...(await get('/api/tasks')) } as Known
}

test('B11.13 start that was killed goes on where it was: a durable run and a task in flight both end', async () => {
  const root = cliProject(FILES)
  const { output, check } = await buildProject({ path: root })
  expect(output, JSON.stringify(check.findings)).toBeDefined()
  const first = await serving([...CLI, 'start'], { cwd: root })
  for (const [agent, about] of [['desk', 'otters'] as const, ['lead', 'seals'] as const])
    ask(first.url, agent, `Fetch the news about ${about}.`).catch(() => {})
  const begun = ['begun-otters', 'begun-seals'].map((name) => join(root, name))
  await vi.waitFor(() => expect(begun.map((path) => existsSync(path))).toEqual([true, true]), { timeout: 30_000 })
  await first.end('SIGKILL')
  writeFileSync(join(root, 'go'), '')
  const second = await serving([...CLI, 'start'], { cwd: root })
  await vi.waitFor(
    async () => {
      const { runs, tasks } = await known(second.url)
      expect(tasks).toMatchObject([{ status: 'completed' }])
      expect(runs.find(({ agentId }) => agentId === 'desk')).toMatchObject({ status: 'ended' })
      expect(runs.filter(({ status }) => status === 'running')).toEqual([])
    },
    { timeout: 40_000, interval: 100 },
  )
  expect(await second.end()).toBe(0)
})
