// What storage costs, beside `node:sqlite` with statements prepared by hand: `node storage.mjs '<order>'`, where the order is
// `{ rounds, turns, recalls }`. Prints the CPU milliseconds of each as JSON: `{ ours, floor }`, each `{ turn, recall20, … }`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LibSQLStore } from '@retinue/libsql'
import { median } from './processes.mjs'

const { rounds, turns, recalls } = JSON.parse(process.argv[2])
const STORED = 5_000
const KEY = { threadId: 't1', resourceId: 'ada' }
const TEXT =
  'A message of some two hundred characters, as people write them when they ask an agent for something that takes a while: ' +
  'compare this with that, look up what is missing, and tell me what you found.'

const messageOf = () => ({ role: 'user', content: [{ type: 'text', text: TEXT }] })

/** A store with a thread of 5,000 messages: `turn` keeps a question and an answer and reads 20 messages, `recall` reads. */
async function makeOurs(folder) {
  const { threads, close } = bound(new LibSQLStore({ id: 'bench', url: `file:${join(folder, 'ours.db')}` }))
  let id = 0
  const next = () => ({ id: `m${id++}`, message: messageOf(), createdAt: 1 })
  await threads.beginTurn({ ...KEY, messages: Array.from({ length: STORED }, next), lastMessages: 0, at: 1 })
  return {
    close,
    recall: (limit) => threads.listMessages({ ...KEY, limit }),
    turn: async () => {
      await threads.beginTurn({ ...KEY, messages: [next()], lastMessages: 20, workingMemory: 'thread', at: 1 })
      await threads.append({ ...KEY, messages: [next()] })
    },
  }
}

function bound(store) {
  return { threads: store.threads, close: () => store.close() }
}

function makeFloor(folder) {
  const database = new DatabaseSync(join(folder, 'floor.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE m (s INTEGER PRIMARY KEY, m TEXT)')
  const insert = database.prepare('INSERT INTO m (m) VALUES (?)')
  const select = database.prepare('SELECT m FROM m ORDER BY s DESC LIMIT ?')
  const recall = (limit) => select.all(limit).map(({ m }) => JSON.parse(m))
  database.exec('BEGIN')
  for (let n = 0; n < STORED; n++) insert.run(JSON.stringify(messageOf()))
  database.exec('COMMIT')
  return {
    recall,
    close: () => database.close(),
    turn: () => {
      database.exec('BEGIN IMMEDIATE')
      insert.run(JSON.stringify(messageOf()))
      recall(20)
      database.exec('COMMIT')
      insert.run(JSON.stringify(messageOf()))
    },
  }
}

async function cpuOf(count, work) {
  const before = process.cpuUsage()
  for (let n = 0; n < count; n++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / count
}

const folder = mkdtempSync(join(tmpdir(), 'retinue-bench-'))
try {
  const sides = { ours: await makeOurs(folder), floor: makeFloor(folder) }
  const samples = { ours: [], floor: [] }
  for (let round = -1; round < rounds; round++) {
    for (const side of ['ours', 'floor']) {
      const { turn, recall } = sides[side]
      const sample = { turn: await cpuOf(turns, turn) }
      for (const limit of [20, 200, 2_000]) {
        sample[`recall${limit}`] = await cpuOf(Math.ceil((recalls * 20) / limit), () => recall(limit))
      }
      // The first round is for the compiler.
      if (round >= 0) samples[side].push(sample)
    }
  }
  for (const { close } of Object.values(sides)) await close()
  const medians = (of) => Object.fromEntries(Object.keys(of[0]).map((key) => [key, median(of.map((one) => one[key]))]))
  console.log(JSON.stringify({ ours: medians(samples.ours), floor: medians(samples.floor) }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
