import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The command line as users run it: what `npm run build` wrote. */
export const CLI = join(ROOT, 'packages/cli/bin/retinue.js')

/** Top-level agents with two subagents each; every agent has a config, instructions and a tool. */
export function makeProject(folder, agents) {
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write('package.json', '{ "type": "module" }\n')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (let made = 0; made < agents; made++) {
    const root = `src/retinue/agents/team-${Math.floor(made / 3)}`
    const dir = made % 3 === 0 ? root : `${root}/subagents/helper-${made}`
    write(`${dir}/config.ts`, config(made))
    write(`${dir}/instructions.md`, `You are number ${made} of a large team. Answer what you are asked.\n`)
    write(`${dir}/tools/look_up_${made}.ts`, tool(made))
  }
}

const config = (number) => `import { agentConfig } from '@retinue/core/agent'

export default agentConfig({
  model: 'openai/gpt-5-mini',
  description: 'Knows everything about subject ${number}, and answers questions on matter${number} with sources.',
})
`

const tool = (number) => `import { createTool } from '@retinue/core/tools'
import { z } from 'zod'

export default createTool({
  id: 'look-up-${number}',
  description: 'Looks up a fact on matter${number}.',
  inputSchema: z.object({ query: z.string(), limit: z.number().default(5) }),
  execute: ({ query, limit }) => ({ query, limit }),
})
`
