import { expect, test } from 'vitest'
import { agent, below, type Files, findingsIn, tempProject, told } from '../../test-support/temp-project.ts'
import { loadProject } from '../load-project.ts'

/** An application with one agent that is in order, and files in its own folder. */
function application(files: Files): string {
  return tempProject(below('src/retinue', { ...below('agents', agent('sup')), ...files }))
}

test('B11.2 server.ts of the application is read, in every extension', async () => {
  for (const extension of ['ts', 'mts', 'js', 'mjs']) {
    const root = application({ [`server.${extension}`]: 'export default { port: 5000, cors: { origins: [] } }\n' })
    expect(await findingsIn(root)).toEqual([])
    const { server, close } = await loadProject(root)
    expect(server).toEqual({ port: 5000, cors: { origins: [] } })
    await close()
  }
  const { server } = await loadProject(application({}))
  expect(server).toBeUndefined()
})

test('B12.3 settings that no server has are told, and what is no settings', async () => {
  const found = async (text: string): Promise<string> => told(await findingsIn(application({ 'server.ts': text })))
  expect(
    await found("export default { prot: 5000, authenticate: () => ({ resourceId: 'ada' }) }\n"),
  ).toMatchInlineSnapshot(`
    "error[server-invalid] src/retinue/server.ts:1:16 (the application)
      "server.ts" has settings that no server has: "prot" and "authenticate"
      fix: remove them, or write one of: allowedHosts, auth, bodyLimit, cors, detachMs, heartbeatMs, host, middleware, port, shutdownMs, token"
  `)
  expect(
    await found("import { Agent } from '@retinue/core'\n\nexport default new Agent({ id: 'a' })\n"),
  ).toMatchInlineSnapshot(`
    "error[default-export-invalid] src/retinue/server.ts:3:20 (the application)
      "server.ts" exports an agent as its default
      fix: write: export default serverConfig({ port: 4111 })"
  `)
  expect(await found('export default () => ({ port: 5000 })\n')).toMatchInlineSnapshot(`
    "error[default-export-invalid] src/retinue/server.ts:1:16 (the application)
      "server.ts" exports a function as its default
      fix: write: export default serverConfig({ port: 4111 })"
  `)
  expect(await found('export const port = 5000\n')).toMatchInlineSnapshot(`
    "error[default-export-invalid] src/retinue/server.ts:1:1 (the application)
      "server.ts" has no default export; it exports only "port"
      fix: write: export default serverConfig({ port: 4111 })"
  `)
})

test('B12.3 a value with which no server starts is told at its property; what a missing variable makes is not', async () => {
  const text = `import { serverConfig } from '@retinue/server'

export default serverConfig({
  port: 70_000,
  token: 'tok',
  cors: { origins: ['https://a.example', 'https://b.example/', '*'] },
  heartbeatMs: 20_000,
})
`
  expect(told(await findingsIn(application({ 'server.ts': text })))).toMatchInlineSnapshot(`
    "error[server-invalid] src/retinue/server.ts:4:9 (the application)
      the setting port is out of its range
      fix: write a whole number from 0 to 65535
    error[server-invalid] src/retinue/server.ts:5:10 (the application)
      the setting token is not a text of at least 16 characters
      fix: make one: openssl rand -hex 32, and keep it in the environment: token: process.env.RETINUE_TOKEN
    error[server-invalid] src/retinue/server.ts:6:20 (the application)
      "*" in cors.origins is no origin
      fix: write a scheme and a host, and no path: 'https://app.example.com'; there is no wildcard
    error[server-invalid] src/retinue/server.ts:6:20 (the application)
      "https://b.example/" in cors.origins is no origin
      fix: write a scheme and a host, and no path: 'https://app.example.com'; there is no wildcard
    error[server-invalid] src/retinue/server.ts:7:16 (the application)
      the setting heartbeatMs is out of its range
      fix: write a whole number from 1 to 15000"
  `)
  const missing = `const { NO_PORT, NO_TOKEN = '', NO_HOST = '', NO_ORIGINS = '' } = process.env
export default { port: Number(NO_PORT), token: NO_TOKEN, host: NO_HOST, cors: { origins: NO_ORIGINS.split(',') } }
`
  expect(await findingsIn(application({ 'server.ts': missing }))).toEqual([])
})

test.each([
  'cors: { origins: [process.env.NO_ORIGIN!] }',
  "cors: { origins: process.env.NO_ORIGINS?.split(',')! }",
  "cors: { origins: ['https://' + (process.env.NO_HOST ?? ''), 'https://a.example'] }",
  'allowedHosts: [process.env.NO_HOST!]',
  'bodyLimit: Number(process.env.NO_LIMIT ?? 0) * 1024',
  "heartbeatMs: +(process.env.NO_BEAT ?? '')",
  'token: process.env.NO_TOKEN ?? small',
  '...{ port: small.length - 9 }',
])(
  'B12.3 what is made while the module runs is judged where the server starts, not where it is checked: %s',
  async (property) => {
    const text = `const small = 'small'\nexport default { ${property} }\n`
    expect(await findingsIn(application({ 'server.ts': text }))).toEqual([])
  },
)

test.each([
  'token: `tok`',
  'port: -1',
  "cors: { origins: ['*'] as const }",
  'cors: {}',
  'auth: 5',
  'middleware: [true]',
])('B12.3 what is written out is judged where it is checked: %s', async (property) => {
  const found = await findingsIn(application({ 'server.ts': `export default { ${property} }\n` }))
  expect(found).toMatchObject([{ code: 'server-invalid' }])
})
