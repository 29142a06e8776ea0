import { expect, test } from 'vitest'
import {
  agent,
  below,
  codesOfBoth,
  type Files,
  findingsIn,
  tempProject,
  told,
} from '../../test-support/temp-project.ts'

function index(options: string, more = ''): string {
  return `import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
${more}
const coded = new Agent({ id: 'coded', model: 'openai/gpt-5.5', instructions: 'Work.' })
const app = new Retinue({ ${options} })
export default app
`
}

async function toldOf(files: Files): Promise<string> {
  return told(await findingsIn(tempProject(below('src/retinue', files))))
}

test('B11.2 index.ts exports the application: as its default, or under any name', async () => {
  const named = index('agents: {}').replace('export default app', 'export const mastra = app')
  for (const text of [index('agents: { coded }'), named]) {
    const root = tempProject(below('src/retinue', { ...below('agents', agent('sup')), 'index.ts': text }))
    expect(await codesOfBoth(root)).toEqual([])
  }
  expect(await toldOf({ 'index.ts': index('agents: { coded }') })).toBe('')
})

test('B11.2 what index.ts says holds: a folder of the same key, and the files of what is shared, lose with a warning', async () => {
  const files = {
    ...below(
      'agents',
      agent('coded', { 'config.ts': "throw new Error('not run')\n", 'tools/a.ts': 'export default 5\n' }),
    ),
    'storage.ts':
      "import { InMemoryStorage } from '@retinue/core/storage'\nexport default new InMemoryStorage({ id: 's' })\n",
    'logger.ts': 'export default console\n',
    'index.ts': index("agents: { coded }, storage: new InMemoryStorage({ id: 'own' })"),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[agent-overridden] src/retinue/agents/coded/config.ts:1:1 (coded)
      the agent "coded" of src/retinue/index.ts wins over the folder "src/retinue/agents/coded"
      fix: remove one of the two (agents.coded in src/retinue/index.ts, src/retinue/agents/coded)
    warning[source-overridden] src/retinue/storage.ts:2:20 (the application)
      storage: "storage in src/retinue/index.ts" wins over "src/retinue/storage.ts"
      fix: remove one of the two (storage in src/retinue/index.ts, src/retinue/storage.ts)"
  `)
})

test('B11.6 an id of the application is no folder’s', async () => {
  const text = index('agents: { other: coded }')
  expect(await toldOf({ ...below('agents', agent('coded')), 'index.ts': text })).toMatchInlineSnapshot(`
    "error[subagent-duplicate] src/retinue/agents/coded/config.ts:2:16 (coded)
      two top-level agents have the id "coded": "other" (agents in src/retinue/index.ts) and "coded" (src/retinue/agents/coded/config.ts)
      fix: give "coded" an id of its own"
  `)
})

test('B11.3 what is no application is an error', async () => {
  const files = below('agents', agent('sup'))
  expect(await toldOf({ ...files, 'index.ts': 'export default {}\n' })).toMatchInlineSnapshot(`
    "error[default-export-invalid] src/retinue/index.ts:1:16 (the application)
      "index.ts" exports an object as its default
      fix: write: export default new Retinue({ agents: {} }); the agents in "agents/" are added to it"
  `)
  expect(await toldOf({ ...files, 'index.ts': 'export const a = 1\n' })).toMatchInlineSnapshot(`
    "error[default-export-invalid] src/retinue/index.ts:1:1 (the application)
      "index.ts" has no default export; it exports only "a"
      fix: write: export default new Retinue({ agents: {} }); the agents in "agents/" are added to it"
  `)
})
