import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storageConformance, vectorConformance } from '@retinue/core/testing'
import { afterAll, describe, test } from 'vitest'
import { LibSQLStore } from './libsql-store.ts'
import { LibSQLVector } from './libsql-vector.ts'

const folder = mkdtempSync(join(tmpdir(), 'retinue-libsql-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const newFile = () => `file:${join(folder, `made for it/${files++}.db`)}`

for (const [where, url] of [
  ['a file', newFile],
  ['memory', () => ':memory:'],
] as const) {
  describe(`LibSQL in ${where}`, () => {
    for (const { name, run } of storageConformance)
      test(name, () => run(() => new LibSQLStore({ id: 's', url: url() })))
    for (const { name, run } of vectorConformance) {
      test(`vectors: ${name}`, () => run(() => new LibSQLVector({ id: 'v', url: url() })))
    }
  })
}
