import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliProject } from '../../test-support/cli-project.ts'
import { importProject } from './import-project.ts'
import { rewriteModule } from './rewrite-module.ts'

/** What an import of Mastra writes, by its path in the application, and what it tells. */
async function imported(root: string): Promise<{ files: Record<string, string>; told: string[] }> {
  const into = { app: 'src/retinue', supervisor: 'assistant', model: 'offline/planner' }
  const { files, left } = await importProject({ ...into, source: root, project: root })
  const texts = [...files.keys()].map((path) => [
    path.slice('src/retinue/'.length),
    readFileSync(join(root, path), 'utf8'),
  ])
  const told = left.map(({ file, line, what }) => `${file}${line === undefined ? '' : `:${line}`} ${what}`)
  return { files: Object.fromEntries(texts), told }
}

test('B11.13 links in a tree of Mastra are not followed, and are told with where they lead', async () => {
  const root = cliProject({
    'src/shared/real.ts': 'export const real = 1\n',
    'src/mastra/index.ts': "import { linked } from './lib/linked'\nimport './shared/real.ts'\nexport default linked\n",
    'src/mastra/lib/own.ts': 'export {}\n',
  })
  symlinkSync('../../shared/real.ts', join(root, 'src/mastra/lib/linked.ts'))
  symlinkSync('..', join(root, 'src/mastra/loop'))
  symlinkSync('../shared', join(root, 'src/mastra/shared'))
  symlinkSync('nowhere', join(root, 'src/mastra/gone.md'))
  const { files, told } = await imported(root)
  expect(Object.keys(files)).toEqual(['index.ts', 'lib/own.ts'])
  expect(told).toEqual([
    'gone.md it is a link to "nowhere", and was left out',
    'lib/linked.ts it is a link to "../../shared/real.ts", and was left out',
    'loop it is a link to "..", and was left out',
    'shared it is a link to "../shared", and was left out',
    'index.ts:1 "./lib/linked" was left out',
    'index.ts:2 "./shared/real.ts" was left out',
  ])
})

test('B11.13 what was copied is not told as left out, whatever the folders are called that it stands in', async () => {
  const root = cliProject({
    'src/mastra/index.ts':
      "import './lib/mcp/helper'\nimport './mcp/server'\nimport './mcp'\nimport './voice'\nimport './lib/up'\nimport './logo.svg'\nimport './lib/mcp/missing'\n",
    'src/mastra/agents/a.ts': "import '../lib/mcp/helper'\nimport '../mcp/server'\nimport '../../mastra/lib/up'\n",
    'src/mastra/lib/mcp/helper.ts': "import '../up'\nimport './voice/x.js'\n",
    'src/mastra/lib/mcp/voice/x.ts': "import '../../../mcp/server'\n",
    'src/mastra/lib/up.ts': 'export {}\n',
    'src/mastra/mcp/server.ts': 'export {}\n',
    // A module and a folder of one name: the module is what is meant.
    'src/mastra/voice.ts': 'export {}\n',
    'src/mastra/voice/loud.ts': 'export {}\n',
    'src/mastra/logo.svg': '<svg/>',
  })
  const { files, told } = await imported(root)
  expect(told).toEqual([
    'logo.svg the file was left out',
    'mcp/ the folder was left out',
    'voice/ the folder was left out',
    'agents/a.ts:2 "../mcp/server" was left out',
    'index.ts:2 "./mcp/server" was left out',
    'index.ts:3 "./mcp" was left out',
    'index.ts:6 "./logo.svg" was left out',
    'lib/mcp/voice/x.ts:1 "../../../mcp/server" was left out',
  ])
  // Out of the tree and into it again leads into the new one.
  expect(files['agents/a.ts']).toContain("import '../lib/up'\n")
})

test('B11.13 a tool that takes its input out of "context" is told, wherever it does that', async () => {
  const source = `import { createTool } from '@mastra/core/tools'
const tool = (execute) => createTool({ id: 'a', description: 'A.', execute })
createTool({ id: 'a', execute: async (args) => { const { context } = args; return context } })
createTool({ id: 'b', execute: async (args: any) => (args as any).context.city })
createTool({ id: 'c', execute: async ({ context } = {}) => context })
createTool({ id: 'd', async execute(args) { let context; ({ context } = args!); return context } })
createTool({ id: 'e', execute: function (args) { return args?.['context'] } })
createTool({ id: 'f', execute: named })
createTool({ id: 'g', execute: declared })
createTool({ id: 'h', execute: async (input, args) => { const { context } = args; return [input.city, args.context] } })
createTool({ id: 'i', execute: async (input, context) => [input, context, input[context], other.context] })
createTool({ id: 'j', execute: unknown })
const named = async (args) => args.context
export async function declared(args) { return args.context }
export const agent = (args) => { const { runtimeContext } = args; return runtimeContext }
function late(args) { return args.runtimeContext }
`
  const placeOf = (specifier: string) => ({ kind: 'here', specifier }) as const
  const { left } = await rewriteModule({ file: 'tools.ts', source, placeOf })
  const told = (what: string) => left.filter((one) => one.what.includes(what)).map(({ line }) => line)
  expect(told('not in "context"')).toEqual([3, 4, 5, 6, 7, 13, 14])
  expect(told('runtimeContext')).toEqual([15, 16])
  expect(left).toHaveLength(9)
})

test('B11.13 options whose type is said are taken out and told as any', async () => {
  const source = `import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
new Mastra({ agents: {}, deployer: 1, workflows: { w } } as const)
new Agent(({ id: 'a', voice: 3, model: 'x/y' }) satisfies object)
new Agent(<const>{ id: 'b', workflows: {} })
createTool({ id: 'a', execute: (async ({ context }) => context) as any } satisfies object)
createTool(made as any)
`
  const placeOf = (specifier: string) => ({ kind: 'here', specifier }) as const
  const { text, left } = await rewriteModule({ file: 'a.ts', source, placeOf })
  expect(left.map(({ line, what }) => `${line} ${what}`)).toEqual([
    '4 the option "deployer" of the application',
    '4 the option "workflows" of the application',
    '5 the option "voice" of the agent',
    '6 the option "workflows" of the agent',
    '7 the input of a tool is not in "context"',
    "8 what of the tool can't be seen: made",
  ])
  expect(text).toContain("new Agent(({ id: 'a',  model: 'x/y' }) satisfies object)")
  expect(text).not.toMatch(/deployer|workflows|voice/)
})

test('B11.13 an agent of Mastra without an id gets the key that the application has for it, else its name, and that is told', async () => {
  const agent = (name: string, more = '') =>
    `new Agent({ name: '${name}', model: 'offline/planner', instructions: 'Work.'${more} })`
  const head = "import { Agent } from '@mastra/core/agent'\n"
  const root = cliProject({
    'src/mastra/index.ts': `import { Mastra as App } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import front, { back as rear } from './agents'
import { deep } from './agents/deep/index.js'
const own = ${agent('Own')} satisfies object
export const mastra = new App({ agents: { front, 'rear-desk': rear, deep, own, inline: ${agent('In')} } } as const)
`,
    'src/mastra/agents/index.ts': `${head}const kid = ${agent('Naïve Kid')}
const back = ${agent('B')}
export { back }
export default new Agent({
  name: 'F',
  instructions: 'Work.',
  model: 'offline/planner',
  agents: { kid, ward: ${agent('W')} },
})
`,
    'src/mastra/agents/deep/index.ts': `${head}export const deep = ${agent('D', ", id: 'kept'")}
export const seen = new Agent({ ...rest })
export const none = new Agent({})
export const proto = ${agent('__proto__')}
const rest = { id: 'rest', model: 'offline/planner', instructions: 'x' }
`,
  })
  const { files, told } = await imported(root)
  const ids = Object.entries(files).flatMap(([file, text]) =>
    [...text.matchAll(/[ \n]id: '(.*?)',? ?/g)].map(([, id]) => `${file} ${id}`),
  )
  expect(ids).toEqual([
    'agents/deep/index.ts kept',
    'agents/deep/index.ts none',
    'agents/deep/index.ts my-name',
    'agents/deep/index.ts rest',
    'agents/index.ts Naive-Kid',
    'agents/index.ts rear-desk',
    'agents/index.ts front',
    'agents/index.ts ward',
    'index.ts own',
    'index.ts inline',
  ])
  expect(files['agents/index.ts']).toContain("new Agent({\n  id: 'front',\n  name: 'F',\n")
  expect(told.filter((what) => what.endsWith(' an agent without an id'))).toEqual([
    'agents/deep/index.ts:4 an agent without an id',
    'agents/deep/index.ts:5 an agent without an id',
    'agents/index.ts:2 an agent without an id',
    'agents/index.ts:3 an agent without an id',
    'agents/index.ts:5 an agent without an id',
    'agents/index.ts:9 an agent without an id',
    'index.ts:5 an agent without an id',
    'index.ts:6 an agent without an id',
  ])
})

test('B11.13 the key of an agent is found where modules hand it on, also in a circle', async () => {
  const agent = "new Agent({ name: 'N', model: 'offline/planner', instructions: 'Work.' })"
  const head = "import { Agent } from '@mastra/core/agent'\n"
  const root = cliProject({
    'src/mastra/index.ts': `import { Mastra } from '@mastra/core'
import { one, two, three } from './agents'
export const mastra = new Mastra({ agents: { first: one, second: two, third: three } })
`,
    'src/mastra/agents/index.ts':
      "export * from './one'\nexport { inner as two } from './two.ts'\nexport { default as three } from './three'\n",
    'src/mastra/agents/one.ts': `${head}export * from './index'\nexport const one = ${agent}\n`,
    'src/mastra/agents/two.ts': `${head}export const inner = ${agent}\n`,
    'src/mastra/agents/three.ts': `${head}export default ${agent}\n`,
  })
  const { files } = await imported(root)
  const ids = ['one', 'two', 'three'].map((file) => /id: '(.*?)'/.exec(files[`agents/${file}.ts`] ?? '')?.[1])
  expect(ids).toEqual(['first', 'second', 'third'])
})
