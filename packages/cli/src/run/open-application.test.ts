import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliProject } from '../../test-support/cli-project.ts'
import { defaultStorage } from './default-storage.ts'
import { openAgent } from './open-application.ts'

const CONFIG =
  "import { agentConfig } from '@retinue/core/agent'\nexport default agentConfig({ model: 'openai/gpt-5.5' })\n"
const SUP = {
  'src/retinue/agents/sup/config.ts': CONFIG,
  'src/retinue/agents/sup/instructions.md': 'Work.\n',
}
/** A storage that says when it is closed. */
const TOLD = `import { InMemoryStorage } from '@retinue/core/storage'
const storage = new InMemoryStorage({ id: 'told' })
const close = storage.close.bind(storage)
storage.close = () => (globalThis.closedStorages.push('told'), close())
export default storage
`

const err = (text: string): void => {
  throw new Error(text)
}

test('B1.11 an application that is not opened leaves no storage open: not its own, and not that of the command line', async () => {
  const closed: string[] = []
  Object.assign(globalThis, { closedStorages: closed })
  const own = cliProject({ ...SUP, 'src/retinue/storage.ts': TOLD })
  await expect(openAgent({ cwd: own, agent: 'nobody', err })).rejects.toMatchObject({ code: 'agent-unknown' })
  expect(closed).toEqual(['told'])
  const cwd = cliProject(SUP)
  await expect(openAgent({ cwd, agent: 'nobody', err })).rejects.toMatchObject({ code: 'agent-unknown' })
  expect([existsSync(join(cwd, DATABASE)), bytesInLog(cwd)]).toEqual([true, 0])
  const storage = await defaultStorage(cwd, err)
  await storage.threads.create({ threadId: 't', resourceId: 'local', at: 1 })
  expect(bytesInLog(cwd)).toBeGreaterThan(0)
  await storage.close()
})

const DATABASE = '.retinue/data/retinue.db'

/** What was written and is not in the database's own file yet: whoever closes it puts it there. */
function bytesInLog(cwd: string): number {
  return statSync(join(cwd, `${DATABASE}-wal`), { throwIfNoEntry: false })?.size ?? 0
}
