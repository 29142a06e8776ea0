import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agent, below, findingsIn, tempProject, told } from '../../test-support/temp-project.ts'

test('B11.1 no application directory', async () => {
  expect(told(await findingsIn(tempProject({})))).toMatchInlineSnapshot(`
    "error[app-missing] src/retinue:1:1 (the application)
      no application: looked for "src/retinue" and "src/mastra", and neither is there
      fix: make "src/retinue/agents/my-agent/config.ts", or say where the application is with --dir"
  `)
})

test('B11.1 src/retinue, else src/mastra; both is a warning, and the first is read', async () => {
  const mastra = below('src/mastra/agents', agent('old', { 'config.ts': 'export default 5\n' }))
  expect((await findingsIn(tempProject(mastra))).map(({ file }) => file)).toEqual(['src/mastra/agents/old/config.ts'])
  const both = tempProject({ ...mastra, ...below('src/retinue/agents', agent('new')) })
  expect(told(await findingsIn(both))).toMatchInlineSnapshot(`
    "warning[app-ambiguous] src/mastra:1:1 (the application)
      "src/retinue" is read, and "src/mastra" is not
      fix: move what is in "src/mastra" to "src/retinue", or choose with --dir"
  `)
})

test('B11.1 --dir is read instead, and must be a directory inside the project', async () => {
  const root = tempProject({ ...below('app/agents', agent('sup')), file: 'x' })
  expect(await findingsIn(root, 'app')).toEqual([])
  expect(await findingsIn(root, './app/')).toEqual([])
  expect(told(await findingsIn(root, 'nope'))).toMatchInlineSnapshot(`
    "error[app-missing] nope:1:1 (the application)
      no application: looked for "nope", and it is not there
      fix: make "nope/agents/my-agent/config.ts", or say where the application is with --dir"
  `)
  expect((await findingsIn(root, 'file'))[0]?.message).toBe(
    'no application: looked for "file", and it is not a directory',
  )
  expect((await findingsIn(root, '../x'))[0]?.message).toBe(
    'no application: looked for "../x", and it lies outside the project',
  )
})

test('B11.1 a link is not an application directory', async () => {
  const root = tempProject(below('src/retinue/agents', agent('sup')))
  renameSync(join(root, 'src/retinue'), join(root, 'elsewhere'))
  symlinkSync(join(root, 'elsewhere'), join(root, 'src/retinue'))
  expect((await findingsIn(root))[0]?.message).toBe(
    'no application: looked for "src/retinue" and "src/mastra", and "src/retinue" is a link, and links are not followed',
  )
})

test('B11.10 an application without agents', async () => {
  const root = tempProject({})
  mkdirSync(join(root, 'src/retinue'), { recursive: true })
  expect(told(await findingsIn(root))).toMatchInlineSnapshot(`
    "warning[app-empty] src/retinue:1:1 (the application)
      "src/retinue" holds no agent
      fix: make "src/retinue/agents/my-agent/config.ts" and "instructions.md""
  `)
})
