import { expect, test } from 'vitest'
import {
  agent,
  agentsProject,
  config,
  type Files,
  findingsOf,
  MODEL,
  toldOf,
  tool,
} from '../../test-support/temp-project.ts'
import { examine } from '../examine.ts'
import { renderFindings } from '../findings/render.ts'
import { InProcessLoader } from '../load/in-process-loader.ts'
import { DiskTree } from '../tree/disk-tree.ts'

/** A supervisor with the tool `search_web` and the subagents `researcher` and `writer`, and these instructions. */
function instructed(instructions: string, more: Files = {}): Files {
  return {
    ...agent('sup', { 'instructions.md': instructions, 'tools/search_web.ts': tool(), ...more }),
    ...agent('sup/subagents/researcher', { 'tools/read_page.ts': tool() }),
    ...agent('sup/subagents/writer'),
  }
}

const namesIn = async (instructions: string, more: Files = {}): Promise<string[]> => {
  const found = await findingsOf(instructed(instructions, more))
  return found.map(({ message }) => /name "([^"]+)"/.exec(message)?.[1] ?? message)
}

test('B11.11 instructions that name a tool or subagent that is not there, each name once, with the one that is meant', async () => {
  const text = `Search with \`searchWeb\`, and again with \`searchWeb\`.

Then delegate the facts to \`reseacher\` and delegate the draft to writer-agent.
Call the \`fetch_page\` tool for pages. Delegate translation to \`translator\`.
`
  expect(await toldOf(instructed(text))).toMatchInlineSnapshot(`
    "warning[instructions-name-unknown] sup/instructions.md:1:14 (sup)
      the instructions of "sup" name "searchWeb", and it has no tool of that name
      fix: write "search_web": that is what the tool is called
    warning[instructions-name-unknown] sup/instructions.md:3:29 (sup)
      the instructions of "sup" name "reseacher", and it has no subagent of that name
      fix: write "researcher": that is what the subagent is called
    warning[instructions-name-unknown] sup/instructions.md:3:66 (sup)
      the instructions of "sup" name "writer-agent", and it has no subagent of that name
      fix: write "writer": that is what the subagent is called
    warning[instructions-name-unknown] sup/instructions.md:4:11 (sup)
      the instructions of "sup" name "fetch_page", and it has no tool of that name
      fix: correct the name, or add "sup/tools/fetch_page.ts"
    warning[instructions-name-unknown] sup/instructions.md:4:64 (sup)
      the instructions of "sup" name "translator", and it has no subagent of that name
      fix: correct the name, or add "sup/subagents/translator/""
  `)
})

test('B11.11 instructions in a config, a module and an agent.md: at the name where it stands as written, else at the value', async () => {
  const tools = (dir: string): Files => ({ [`${dir}/tools/search_web.ts`]: tool() })
  const files = {
    'config/config.ts': config(`${MODEL}, instructions: 'Use \`searchWeb\`.'`),
    'made/config.ts': config(),
    'made/instructions.ts': "export default ['Use `search', 'Web`.'].join('')\n",
    'file/agent.md': `---\n${MODEL.replaceAll("'", '')}\n---\n\nWork.\nUse \`searchWeb\`.\n`,
    ...tools('config'),
    ...tools('made'),
    ...tools('file'),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[instructions-name-unknown] config/config.ts:2:75 (config)
      the instructions of "config" name "searchWeb", and it has no tool of that name
      fix: write "search_web": that is what the tool is called
    warning[instructions-name-unknown] file/agent.md:6:6 (file)
      the instructions of "file" name "searchWeb", and it has no tool of that name
      fix: write "search_web": that is what the tool is called
    warning[instructions-name-unknown] made/instructions.ts:1:16 (made)
      the instructions of "made" name "searchWeb", and it has no tool of that name
      fix: write "search_web": that is what the tool is called"
  `)
})

test.each([
  'Use `search_web`, then `researcher`, then `writer`. Delegate facts to `researcher`.',
  // Names of others, and what is no name of a tool at all.
  'The `researcher` reads with the `read_page` tool. You are the `sup` agent.',
  'Fill in `title`, `summary` and `user_id`; write `null` where `JSON` has no value. Return `search_result`.',
  'Set `max_results`. Use `markdown` and `snake_case`. See `notes.md` and `src/search_web.ts`.',
  'Never call the `shell` tool, and do not delegate to `translator`: there is no `fetch` tool.',
  'Delegate to writers. Delegate to specialists. Delegate to Writer, or to the researcher agent, or delegate the work to them.',
  'Answer like this:\n\n```ts\nawait searchWeb(query)\n```\n',
  'Read https://example.com/searchWeb and docs/searchWeb.',
  'Give the search_results to the writers.',
])('B11.11 instructions that name what is there, or name no tool: %j', async (instructions) => {
  expect(await namesIn(instructions)).toEqual([])
})

test('B11.11 what only running the agent tells is not judged', async () => {
  const text = 'Use the `lookup` tool and `searchWeb`.'
  expect(await namesIn(text)).toEqual(['lookup', 'searchWeb'])
  const { 'sup/tools/search_web.ts': _, ...rest } = instructed(text)
  const dynamic = { ...rest, 'sup/config.ts': config(`${MODEL}, tools: () => ({})`) }
  expect((await findingsOf(dynamic)).map(({ code }) => code)).toEqual([])
})

const KEY = `sk-${'a1B2c3D4'.repeat(3)}`

test('B11.11 a secret in a prompt, at its place', async () => {
  const files = {
    ...agent('sup', { 'instructions.md': `Work.\nSend the key ${KEY} along.\n` }),
    ...agent('sup/subagents/kid', {
      'config.ts': config(`${MODEL}, description: 'Logs in with ghp_${'a1B2c3D4e5F6'.repeat(3)} somewhere.'`),
      'instructions.md': 'Ask postgres://app:hunter22x@db.internal/app and\n-----BEGIN RSA PRIVATE KEY-----\n',
    }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[prompt-secret] sup/instructions.md:2:14 (sup)
      the instructions of "sup" hold what looks like an API key
      fix: take it out and revoke it; let a tool read the new one from the environment (process.env)
    warning[prompt-secret] sup/subagents/kid/config.ts:2:82 (sup > kid)
      the description of "kid" holds what looks like an access token
      fix: take it out and revoke it; let a tool read the new one from the environment (process.env)
    warning[prompt-secret] sup/subagents/kid/instructions.md:1:20 (sup > kid)
      the instructions of "kid" hold what looks like a password
      fix: take it out and revoke it; let a tool read the new one from the environment (process.env)
    warning[prompt-secret] sup/subagents/kid/instructions.md:2:1 (sup > kid)
      the instructions of "kid" hold what looks like a private key
      fix: take it out and revoke it; let a tool read the new one from the environment (process.env)"
  `)
})

test('B11.11 a secret is never printed, whatever finding shows its line', async () => {
  const root = agentsProject({
    ...agent('sup', { 'instructions.md': `Keys: ${KEY} and AIza${'a1B2c3D4e5'.repeat(4).slice(0, 35)}.\n` }),
    ...agent('sup/subagents/kid', { 'config.ts': config(`description: '${KEY}', model: 5 as never`) }),
  })
  const { findings } = await examine(new DiskTree(root), new InProcessLoader(root))
  const text = renderFindings(findings) + JSON.stringify(findings)
  expect(findings.map(({ code }) => code).sort()).toEqual([
    'config-invalid',
    'prompt-secret',
    'prompt-secret',
    'prompt-secret',
  ])
  expect(text).not.toMatch(/a1B2/)
  expect(text).toContain('Keys: ••••')
})

test.each([
  'Write the key as sk-xxxxxxxxxxxxxxxxxxxxxxxx or sk-your-key-goes-here-1234567890.',
  'Put postgres://user:password@host/db or https://user:<password>@host1 there.',
  'AKIAIOSFODNN7EXAMPLE is the one of the manual. Bearer tokens are secret.',
  'Key-insights, or-something-else-entirely, api_key: none, token: 5.',
])('B11.11 what stands for a secret, or only sounds like one, is in order: %j', async (instructions) => {
  expect(await findingsOf(agent('sup', { 'instructions.md': instructions }))).toEqual([])
})
