import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CLI, cliProject } from '../test-support/cli-project.ts'
import { startDev } from '../test-support/dev.ts'
import { emptyFolder } from '../test-support/output.ts'

vi.setConfig({ testTimeout: 60_000 })

/** What Node kept below a folder for temporary files. */
function kept(folder: string): readonly Buffer[] {
  const cache = join(folder, 'node-compile-cache')
  if (!existsSync(cache)) return []
  const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
}

test('B11.13 Node keeps what the command line compiled, unless it is told not to', () => {
  const keptBy = (env: NodeJS.ProcessEnv): number => {
    const folder = emptyFolder()
    const places = { TMPDIR: folder, TEMP: folder, NODE_COMPILE_CACHE: undefined }
    execFileSync(process.execPath, [...CLI, '--version'], { env: { ...process.env, ...places, ...env } })
    return kept(folder).length
  }
  expect(keptBy({})).toBeGreaterThan(0)
  expect(keptBy({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(0)
})

test('B11.13 a version of dev leaves what it compiled to the next one', async () => {
  const instructions = 'export default "Work as the one that was kept."\n'
  const root = cliProject({
    'src/retinue/agents/sup/config.ts':
      "import { agentConfig } from '@retinue/core/agent'\nexport default agentConfig({ model: 'offline/planner' })\n",
    'src/retinue/agents/sup/instructions.ts': instructions,
  })
  const folder = emptyFolder()
  vi.stubEnv('NODE_COMPILE_CACHE', undefined)
  for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, folder)
  const dev = await startDev(root)
  await vi.waitFor(() => expect(kept(folder).some((bytes) => bytes.includes('the one that was kept'))).toBe(true), {
    timeout: 20_000,
  })
  // It is killed: what it keeps when it ends by itself was not waited for.
  dev.kill()
})
