import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LibSQLStore } from '../../src/libsql-store.ts'
import { type Child, child } from '../child.ts'
import { assert, type PlannedAgent, type Property } from '../core.ts'
import type { Announced, Race, RaceEnd } from '../race-process.ts'
import { tempFolder } from '../temp-folder.ts'

const VERDICTS = ['approve', 'decline'] as const

/** Codes of a decision that another was faster than: the run may have ended by then. */
const LOST: ReadonlySet<string> = new Set(['approval-decided', 'run-not-found'])

/** A gated tool one level down, so that what is decided is no call of the root's. */
const PLAN: PlannedAgent = { key: 'root', id: 'sup', steps: [[{ key: 'a', id: 'worker', steps: [['gate']] }]] }

/** R04: of eight decisions on one call from two processes one wins, and nothing else happens. */
export function decisionRaces(trials: number): Property {
  return {
    name: 'R04 B7.4 of eight decisions at once from two processes one wins',
    unit: `pairs of processes on one file, with ${trials} races each`,
    check: async (random, tally) => {
      using folder = tempFolder()
      const [url, ledger] = [folder.file(), join(folder.path, 'ledger')]
      const first = child('race-process.ts', { url, ledger, plan: PLAN, name: 'first' })
      await first.printed(1)
      const second = child('race-process.ts', { url, ledger, plan: PLAN, name: 'second' })
      await second.printed(1)
      const racers = [first, second] as const
      const store = new LibSQLStore({ id: 's', url })
      try {
        for (let trial = 0; trial < trials; trial++) {
          const runId = `run${trial}`
          const begin: Race = { runId, verdicts: [], streams: false }
          const [announced] = JSON.parse(await answer(racers[trial % 2] as Child, begin)) as Announced[]
          const { toolCallId } = announced as Announced
          const before = started(ledger)
          const ends = await Promise.all(
            racers.map(async (racer): Promise<RaceEnd[]> => {
              const verdicts = [0, 1, 2, 3].map(() => random.pick(VERDICTS))
              const race = { runId, toolCallId, verdicts, streams: random.chance(0.5) }
              return JSON.parse(await answer(racer, race)) as RaceEnd[]
            }),
          )
          const won = ends.flat().filter(({ code }) => code === undefined)
          const codes = ends.flat().flatMap(({ code }) => (code === undefined ? [] : [code]))
          assert(won.length === 1, () => `${won.length} decisions won: ${JSON.stringify(ends)}`)
          assert(
            codes.every((code) => LOST.has(code)),
            () => `others were refused with ${codes}`,
          )
          const verdict = won[0]?.verdict
          const starts = started(ledger) - before
          assert(
            starts === (verdict === 'approve' ? 1 : 0),
            () => `${verdict} won, and the tool was started ${starts} times`,
          )
          const { items } = await store.approvals.list({ runId })
          const status = verdict === 'approve' ? 'done' : 'declined'
          assert(items.length === 1 && items[0]?.status === status, () => `the ledger says ${JSON.stringify(items)}`)
          const told = verdict === 'approve' ? '[ok r.0-0.0-0]' : 'was declined'
          assert(won[0]?.text?.includes(told) === true, () => `the run ended with ${won[0]?.text}`)
          tally(`won by ${verdict}`)
          for (const code of codes) tally(code)
        }
      } finally {
        await store.close()
        for (const racer of racers) racer.kill()
        await Promise.all(racers.map(({ ended }) => ended))
      }
    },
  }
}

/** Tells a process of a race, and gives its answer. */
async function answer(racer: Child, race: Race): Promise<string> {
  const line = racer.lines.length
  racer.say(JSON.stringify(race))
  await racer.printed(line + 1)
  const said = racer.lines[line]
  assert(said !== undefined, () => 'a process ended before it had answered')
  return said
}

function started(ledger: string): number {
  return existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').length - 1 : 0
}
