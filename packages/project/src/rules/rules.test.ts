import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RULES } from './index.ts'

const HELPERS = [
  'application-agents.ts',
  'described.ts',
  'index.ts',
  'mentions.ts',
  'missing-imports.ts',
  'models.ts',
  'pages.ts',
  'places.ts',
  'ports.ts',
  'prompts.ts',
  'prose.ts',
  'rule.ts',
  'tsconfig-aliases.ts',
  'words.ts',
]
const files = readdirSync(import.meta.dirname)

test('B11.11 a rule is a file, and its code is the name of the file', () => {
  const rules = files.filter((name) => !name.endsWith('.test.ts') && !HELPERS.includes(name))
  expect(RULES.map(({ code }) => `${code}.ts`).sort()).toEqual(rules.sort())
})

test('every rule is proved by a tree of its own', () => {
  const tests = files.filter((name) => name.endsWith('.test.ts') && name !== 'rules.test.ts')
  const texts = [...tests, '../load/child-loader.test.ts'].map((name) =>
    readFileSync(join(import.meta.dirname, name), 'utf8'),
  )
  const unproved = RULES.filter(({ code, severity }) => !texts.some((text) => text.includes(`${severity}[${code}]`)))
  expect(unproved.map(({ code }) => code)).toEqual([])
})
