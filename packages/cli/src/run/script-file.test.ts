import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@retinue/core/agent'
import { afterAll, expect, test } from 'vitest'
import { modelChooser } from './choose-model.ts'
import { readScript } from './script-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'retinue-script-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return `offline/script:${name}`
}

async function ask(model: string): Promise<string> {
  const scout = new Agent({ id: 's', description: 'Scouts.', model: 'openai/x' })
  const lead = new Agent({ id: 'lead', model: 'openai/x', agents: { scout } })
  const { text } = await lead.generate('Go', { resolveModel: modelChooser(model, {}, folder) })
  return text
}

test('offline/script plays the turns of a YAML file, by agent path', async () => {
  const model = file(
    'turns.yaml',
    [
      'lead:',
      '  - calls: [{ name: scout, args: { prompt: Look } }]',
      '  - text: Done.',
      'lead/scout:',
      '  - text: Nothing.',
    ].join('\n'),
  )
  expect(await ask(model)).toBe('Done.')
})

test('offline/script plays a TypeScript module, where a turn can be a function of the call', async () => {
  const model = file(
    'turns.ts',
    `interface Call { text: string }
     export default {
       lead: [{ calls: [{ name: 'scout', args: { prompt: 'Look' } }] }, (call: Call) => ({ text: call.text.split('\\n').at(-1) })],
       'lead/scout': [{ text: 'Nothing.' }],
     }`,
  )
  expect(await ask(model)).toBe('tool: Nothing.')
})

test.each([
  ['missing.yaml', undefined, 'ENOENT'],
  ['list.yaml', '- text: x', 'no turns by agent path'],
  ['turn.yaml', 'lead: [5]', 'turn 0 of "lead" is no turn'],
  ['typo.yaml', 'lead: [{ txt: x }]', 'unknown keys: txt'],
  ['broken.yaml', 'lead: [', 'lead'],
  ['broken.ts', 'export default {', 'broken.ts'],
])('a script that can’t be played is a typed error that says why: %s', async (name, text, why) => {
  const model = text === undefined ? `offline/script:${name}` : file(name, text)
  await expect(readScript(model, folder)).rejects.toMatchObject({
    code: 'model-invalid',
    message: expect.stringContaining(why),
  })
})

test('a call that no turn was written for fails the run', async () => {
  await expect(ask(file('short.yaml', 'lead: []'))).rejects.toMatchObject({ code: 'script-mismatch' })
})
