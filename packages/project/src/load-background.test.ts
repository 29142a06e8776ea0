import { scriptedModels } from '@retinue/core/testing'
import { expect, test } from 'vitest'
import { agent, below, type Files, tempProject } from '../test-support/temp-project.ts'
import { loadProject } from './load-project.ts'

const STORE =
  "import { InMemoryStorage } from '@retinue/core/storage'\nexport default new InMemoryStorage({ id: 'app' })\n"

/** A supervisor in a Markdown file that has its subagent run in the background. */
function project(shared: Files): string {
  const head = '---\nmodel: openai/gpt-5.5\nbackgroundTasks:\n  tools:\n    kid: { maxRetries: 1 }\n---\nWork.\n'
  const agents = below('agents', { 'sup/agent.md': head, ...agent('sup/subagents/kid') })
  return tempProject(below('src/retinue', { 'storage.ts': STORE, ...shared, ...agents }))
}

async function run(shared: Files): Promise<{ text: string; statuses: string[]; codes: string[] }> {
  const { agents, app, findings, close } = await loadProject(project(shared))
  const told = Promise.withResolvers<void>()
  const script = scriptedModels({
    sup: [
      { calls: [{ name: 'kid', args: { prompt: 'Count.' } }] },
      () => {
        told.resolve()
        return { text: 'Begun.' }
      },
      { text: 'Three.' },
    ],
    'sup/kid': [{ text: '3', after: told.promise }],
  })
  const { text = '' } =
    (await agents['sup']?.generate('Count', { resolveModel: script.resolveModel, untilIdle: true })) ?? {}
  const { items } = await app.tasks.list()
  await close()
  return { text, statuses: items.map(({ status }) => status), codes: findings.map(({ code }) => code) }
}

test('B9.1 B11.2 backgroundTasks.ts turns background tasks on, and an agent.md says what is run there', async () => {
  const { text, statuses, codes } = await run({ 'backgroundTasks.ts': 'export default { enabled: true }\n' })
  expect([text, statuses, codes]).toEqual(['Begun.\n\nThree.', ['completed'], []])
})

test('B9.1 where they are turned off every call is run in the foreground', async () => {
  const root = project({ 'backgroundTasks.ts': 'export default { enabled: false }\n' })
  const { agents, app, findings } = await loadProject(root)
  const script = scriptedModels({
    sup: [{ calls: [{ name: 'kid', args: { prompt: 'Count.' } }] }, { text: 'Three.' }],
    'sup/kid': [{ text: '3' }],
  })
  expect((await agents['sup']?.generate('Count', { resolveModel: script.resolveModel }))?.text).toBe('Three.')
  expect([(await app.tasks.list()).items, findings]).toEqual([[], []])
})
