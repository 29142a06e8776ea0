import { expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { createTool } from '../tools/create-tool.ts'

function model(supportedUrls: Record<string, RegExp[]>, turns = [{ text: 'ok' }]) {
  return Object.assign(scriptedModel(turns), { supportedUrls: Promise.resolve(supportedUrls) })
}

const file = (url: string, mediaType = 'image/png') => [
  {
    role: 'user' as const,
    content: [
      { type: 'text', text: 'See' },
      { type: 'file', data: new URL(url), mediaType },
    ],
  },
]

test.each([
  ['https://files.test/a.png', 'image/png', { 'image/*': [/^https:/] }, true],
  ['https://files.test/A.PNG', 'image/png', { '*/*': [/\.png$/] }, true],
  ['https://files.test/a.pdf', 'application/pdf', { 'application/pdf': [/^https:/] }, true],
  ['http://files.test/a.png', 'image/png', { 'image/*': [/^https:/] }, false],
  ['https://files.test/a.pdf', 'application/pdf', { 'image/*': [/^https:/] }, false],
  ['https://files.test/a.png', 'image/png', {}, false],
])('B1.2 %s as %s under %o is fetched by the model: %s', async (url, mediaType, supported, fits) => {
  const asked = model(supported)
  const run = new Agent({ id: 'a', model: asked }).generate(file(url, mediaType))
  if (fits) expect((await run).text).toBe('ok')
  else await expect(run).rejects.toMatchObject({ code: 'file-url-unsupported', hint: expect.stringContaining('bytes') })
  expect(asked.calls).toHaveLength(fits ? 1 : 0)
})

test('B1.2 the error does not repeat what is secret in a URL', async () => {
  const run = new Agent({ id: 'a', model: model({}) }).generate(file('https://files.test/a.png?token=hush'))
  await expect(run).rejects.toMatchObject({ message: expect.not.stringContaining('hush') })
})

test('B1.2 a fallback that fetches it is asked instead', async () => {
  const [one, two] = [model({}), model({ 'image/*': [/^https:/] })]
  expect((await new Agent({ id: 'a', model: [one, two] }).generate(file('https://files.test/a.png'))).text).toBe('ok')
  expect(one.calls).toHaveLength(0)
})

test('B1.2 also when the file came from a tool, or down to a child', async () => {
  const show = createTool({
    id: 'show',
    execute: () => 'x',
    toModelOutput: () => ({
      type: 'content',
      value: [
        { type: 'file', data: { type: 'url', url: new URL('https://files.test/a.png') }, mediaType: 'image/png' },
      ],
    }),
  })
  const looking = model({}, [{ calls: [{ name: 'show', args: {} }] }] as never)
  await expect(new Agent({ id: 'a', model: looking, tools: { show } }).generate('Go')).rejects.toMatchObject({
    code: 'file-url-unsupported',
  })

  const child = new Agent({ id: 'c', description: 'Looks.', model: model({}) })
  const parent = model({ '*/*': [/.*/] }, [
    { calls: [{ name: 'child', args: { prompt: 'Look' } }] },
    { text: 'ok' },
  ] as never)
  const { toolResults } = await new Agent({ id: 'p', model: parent, agents: { child } }).generate(
    file('https://files.test/a.png'),
  )
  expect(toolResults[0]?.result).toMatchObject({ status: 'failed', error: { code: 'file-url-unsupported' } })
})
