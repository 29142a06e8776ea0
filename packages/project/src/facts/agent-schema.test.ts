import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeFrontmatter } from './describe-frontmatter.ts'

const schema = JSON.parse(readFileSync(new URL('../../schemas/agent.schema.json', import.meta.url), 'utf8')) as {
  properties: Record<string, unknown>
}

test('B11.1 the schema for editors has the keys that an agent.md can have, and no others', () => {
  const keys = Object.keys(schema.properties)
  for (const key of keys) expect(refused(key), key).not.toContain('means nothing here')
  // What a slip is answered with names all that can stand there.
  const [refusal] = describeFrontmatter('a', { modle: 'x/y' }).refusals
  const known = refusal?.hint?.split('known are ')[1]?.split(', ') ?? []
  expect(keys.sort()).toEqual(known.sort())
})

function refused(key: string): string {
  return describeFrontmatter('a', { [key]: {} })
    .refusals.map(({ message }) => message)
    .join()
}
