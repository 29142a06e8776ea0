import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { child } from '../test-support/child.ts'
import { checkedIds } from '../test-support/integrity.ts'
import { longRun } from '../test-support/long-run.ts'
import { killedWriters } from '../test-support/properties/killed-writers.ts'
import { FIRST_MIGRATION, killedMigration, killedTurn } from '../test-support/properties/torn-by-kill.ts'
import { tempFolder } from '../test-support/temp-folder.ts'

longRun(killedWriters(20))

test('R02 a kill -9 after any statement of a transaction leaves none of it', async () => {
  for (let after = 0; after <= 3; after++) await killedTurn(after)
})

test('R25 a kill -9 after any statement of a migration leaves none of it, and the next process makes it', async () => {
  for (let after = 0; after <= FIRST_MIGRATION; after++) await killedMigration(after)
})

test('R25 processes that start at once on a new file all go on', async () => {
  for (let round = 0; round < 10; round++) {
    using folder = tempFolder()
    const children = ['a', 'b', 'c', 'd'].map((id) => child('turn-process.ts', { url: folder.file(), ids: [id] }))
    await Promise.all(children.map(({ ended }) => ended))
    expect(children.flatMap(({ lines }) => lines)).toEqual(['a ok', 'b ok', 'c ok', 'd ok'])
    expect((await checkedIds(folder.file())).toSorted()).toEqual(['a', 'b', 'c', 'd'])
  }
})

test('R26 a disk that fails while it is written leaves nothing half, and works again afterwards', async () => {
  using folder = tempFolder()
  const url = folder.file()
  const ids = Array.from({ length: 20 }, (_none, n) => `m${n}`)
  // Files of this process may have so many kilobytes: beyond, a write fails with EFBIG, which is an I/O error to the database.
  const limited = child('turn-process.ts', { url, ids, length: 50_000 }, { limits: "trap '' XFSZ; ulimit -f 800" })
  await limited.ended
  const said = limited.lines.map((line) => line.slice(line.indexOf(' ') + 1))
  expect(new Set(said)).toEqual(new Set(['ok', 'storage-failed SQLITE_IOERR']))
  const acknowledged = ids.filter((_id, n) => said[n] === 'ok')
  expect(await checkedIds(url)).toEqual(acknowledged)
  const next = child('turn-process.ts', { url, ids: ['next'] })
  await next.ended
  expect(await checkedIds(url)).toEqual([...acknowledged, 'next'])
})

// Whoever is root may write everywhere: it must become somebody else, who may not, and that one must be able to read this checkout.
test.runIf(process.getuid?.() === 0)('R26 a file that the user may not write is told', async () => {
  using folder = tempFolder()
  const writer = child('turn-process.ts', { url: folder.file(), ids: ['m1'] })
  await writer.ended
  chmodSync(folder.path, 0o755)
  const nobody = 65_534
  const open = child('turn-process.ts', { url: folder.file(), ids: ['m2'] }, { uid: nobody })
  await open.ended
  expect(open.lines).toEqual(['m2 storage-read-only SQLITE_READONLY'])
  const missing = child('turn-process.ts', { url: folder.file('below/app.db'), ids: ['m2'] }, { uid: nobody })
  await missing.ended
  expect(missing.lines).toEqual(['m2 storage-cannot-open EACCES'])
  cpSync(join(folder.path, 'app.db'), join(folder.path, 'copy.db'))
  expect(await checkedIds(folder.file('copy.db'))).toEqual(['m1'])
})
