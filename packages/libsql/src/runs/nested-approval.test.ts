import { join } from 'node:path'
import { Retinue } from '@retinue/core'
import { expect, test } from 'vitest'
import { child } from '../../test-support/child.ts'
import { MortalProcess, type PlannedAgent, plannedAgent } from '../../test-support/core.ts'
import type { Announced, Race } from '../../test-support/race-process.ts'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'

const leaf: PlannedAgent = { key: 'a', id: 'leaf', steps: [['free'], ['gate'], ['free']] }
const mid: PlannedAgent = { key: 'a', id: 'mid', steps: [[leaf]] }

test.each([
  ['two', { key: 'root', id: 'sup', steps: [[leaf]] }, 'r.0-0'],
  ['three', { key: 'root', id: 'sup', steps: [[mid]] }, 'r.0-0.0-0'],
] as const)(
  'S15 B7.3 %s levels down: after a kill -9 what the stream gave the client is enough, and the child goes on where it stopped',
  async (_levels, plan, name) => {
    using folder = tempFolder()
    const url = folder.file()
    const first = child('race-process.ts', { url, ledger: join(folder.path, 'ledger'), plan, name: 'first' })
    await first.printed(1)
    const begin: Race = { runId: 'run', verdicts: [], streams: true }
    first.say(JSON.stringify(begin))
    await first.printed(2)
    first.kill()
    await first.ended
    const [announced, ...others] = JSON.parse(first.lines[1] as string) as Announced[]
    expect([announced?.runId, others]).toEqual(['run', []])
    const [starts, asked]: [string[], string[]] = [[], []]
    const root = plannedAgent(plan, {
      process: new MortalProcess(),
      deployed: { version: '1', schema: 'first', removed: new Set() },
      onStart: ({ at }) => void starts.push(at),
      onModelCall: (at) => void asked.push(at),
    })
    const store = new LibSQLStore({ id: 's', url })
    const sup = new Retinue({ agents: { root }, storage: store }).getAgent('root')
    const { runs } = await sup.listSuspendedRuns()
    expect(runs.map(({ runId, toolCalls }) => [runId, toolCalls.map(({ args }) => args)])).toEqual([
      ['run', [{ at: `${name}.1-0` }]],
    ])
    const { text } = await sup.approveToolCallGenerate(announced as Announced)
    expect(starts).toEqual([`${name}.1-0`, `${name}.2-0`])
    // The child's model is asked for its third and fourth turn, and those above for what they make of it.
    expect(asked.slice(0, 2)).toEqual([`${name} 2`, `${name} 3`])
    expect(asked).toHaveLength(plan.steps[0][0] === leaf ? 3 : 4)
    expect(text).toContain(`[ok ${name}.0-0]`)
    expect(text).toContain(`[ok ${name}.1-0]`)
    expect(await sup.listSuspendedRuns()).toMatchObject({ total: 0 })
    await store.close()
  },
)
