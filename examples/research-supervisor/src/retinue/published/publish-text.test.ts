import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { publishText } from './publish-text.ts'

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'retinue-publish-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test.each([
  ['# Exports of Côte d’Ivoire\n\nCocoa.', 'exports-of-cote-d-ivoire.md'],
  ['# ../../../etc/passwd', 'etc-passwd.md'],
  ['\n\n日本', 'untitled.md'],
  [
    '# How Rwanda and Burundi earn their export income and what holds them back',
    'how-rwanda-and-burundi-earn-their-export-income-and-what.md',
  ],
])('a text is published under its title, inside the folder: %j', async (text, name) => {
  const folder = project()
  expect(await publishText(text, folder)).toBe(`.retinue/data/published/${name}`)
  expect(readFileSync(join(folder, '.retinue/data/published', name), 'utf8')).toBe(`${text}\n`)
})

test('nothing is replaced, and no link is followed', async () => {
  const [folder, outside] = [project(), project()]
  await publishText('# One', folder)
  symlinkSync(join(outside, 'two.md'), join(folder, '.retinue/data/published/one-2.md'))
  expect(await publishText('# One', folder)).toBe('.retinue/data/published/one-3.md')
  expect(readdirSync(outside)).toEqual([])
})

test('a folder that leads out of the project is refused', async () => {
  const [folder, outside] = [project(), project()]
  mkdirSync(join(folder, '.retinue/data'), { recursive: true })
  symlinkSync(outside, join(folder, '.retinue/data/published'))
  await expect(publishText('# One', folder)).rejects.toThrow('leads out of the project')
  expect(readdirSync(outside)).toEqual([])
})
