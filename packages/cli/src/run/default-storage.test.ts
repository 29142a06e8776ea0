import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultStorage } from './default-storage.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retinue-data-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('B6.1 conversations are kept in a database of the project, and are there the next time', async () => {
  const said: string[] = []
  const first = await defaultStorage(folder, (text) => void said.push(text))
  await first.threads.create({ threadId: 't', resourceId: 'local', at: 1 })
  await first.close()
  const second = await defaultStorage(folder, (text) => void said.push(text))
  expect(await second.threads.get({ threadId: 't', resourceId: 'local' })).toMatchObject({ id: 't' })
  await second.close()
  expect([said, existsSync(join(folder, '.retinue/data/retinue.db'))]).toEqual([[], true])
})

test('B6.1 where it can’t be opened, that is said, and the conversation goes on in this process', async () => {
  mkdirSync(join(folder, '.retinue/data'), { recursive: true })
  writeFileSync(join(folder, '.retinue/data/retinue.db'), 'this is no database, and was never one'.repeat(100))
  const said: string[] = []
  const storage = await defaultStorage(folder, (text) => void said.push(text))
  expect(said.join()).toMatch(/^warning: conversations are not kept: /)
  await storage.threads.create({ threadId: 't', resourceId: 'local', at: 1 })
  await storage.close()
})
