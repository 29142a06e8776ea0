import { expect, test } from 'vitest'
import { testApp } from '../../test-support/test-app.ts'

test('B12.3 the pages of the runs name each run once, also those that this process works on', async () => {
  const waits = { text: 'Done.', after: new Promise<void>(() => {}) }
  const t = testApp({ durable: true, script: { plain: [waits, waits, waits, waits] } })
  for (let i = 0; i < 4; i++) void t.post('/api/agents/plain/generate', { input: 'Hi.' })
  while (t.script.calls('plain').length < 4) await new Promise((resolve) => setImmediate(resolve))
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = (await (await t.get(`/api/runs?limit=2${query}`)).json()) as {
      runs: { runId: string }[]
      next?: string
    }
    seen.push(...page.runs.map(({ runId }) => runId))
    cursor = page.next
  } while (cursor !== undefined)
  expect(seen).toHaveLength(4)
  expect(new Set(seen).size).toBe(4)
  for (const runId of seen) await t.post(`/api/runs/${runId}/cancel`)
})
