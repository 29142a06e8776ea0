import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Answers by a word of the latest message, so that a test decides by what it types. */
const MODEL = `
const usage = { inputTokens: { total: 100 }, outputTokens: { total: 20 } }

function answer(name, whole) {
  const told = textOf(whole.at(-1))
  if (told.startsWith('[retinue] The background task')) return say('Lead was told: ' + told.split('\\n').slice(3, -1).join(' '))
  // What the framework says is nobody's request.
  const prompt = whole.filter(({ role, content }) => role !== 'user' || !content[0]?.text?.startsWith('[retinue'))
  const users = prompt.filter((message) => message.role === 'user').map((message) => message.content.map((part) => part.text ?? '').join(''))
  const asked = users.at(-1)
  const after = prompt.slice(prompt.findLastIndex((message) => message.role === 'user'))
  const results = after.filter((message) => message.role === 'tool').length
  const call = (toolName, input, at = '') => [{ type: 'tool-call', toolCallId: name + users.length + results + at, toolName, input: JSON.stringify(input) }]
  if (name === 'scout' && asked.includes('fell')) return results === 0 ? asked.split(' and ').map((tree, at) => call('fell', { tree }, '-' + at)[0]) : say('Scout is done: ' + outcomes(after).join(', '))
  if (name === 'scout' && asked.includes('hold')) return results === 0 ? call('hold', {}) : say('Scout held on.')
  if (name === 'scout' && asked.includes('where')) return results === 0 ? call('ask_where', {}) : say('Scout asked: ' + JSON.stringify(outcomes(after)[0]))
  if (asked.includes('which')) return results === 0 ? call('ask_way', {}) : say('Which: ' + outcomes(after).join(', '))
  if (name === 'scout') return results === 0 ? call('peek', { at: 'north' }) : asked.includes('hang') ? undefined : say('Scout saw: ' + asked)
  if (asked.includes('slow')) return [...say('Slowly begun'), undefined]
  if (asked.includes('fail')) throw new Error('The model has had enough')
  if (asked.includes('steer')) return say('before\\u001b[2J\\u001b]0;title\\u0007\\u009b31mafter \\u202eright')
  if (asked.includes('long')) return say(Array.from({ length: 60 }, (_, at) => 'line ' + (at + 1)).join('\\n'))
  if (asked.includes('delegate many')) return Array.from({ length: 20 }, (_, at) => call('scout', { prompt: asked }, '-' + at)).flat()
  if (asked.includes('delegate')) return results === 0 ? call('scout', { prompt: asked }) : say(String(outcomes(after)).includes('in the background') ? 'The scout is on its way.' : 'Lead has the answer of the scout.')
  return say('Heard ' + users.length + ': ' + users.map((text) => JSON.stringify(text)).join(' / '))
}

function textOf({ role, content }) {
  return role === 'user' ? content.map((part) => part.text ?? '').join('') : ''
}

function outcomes(messages) {
  return messages.filter((message) => message.role === 'tool').flatMap((message) => message.content).map(({ output }) => output.value?.felled ?? output.value?.way ?? output.value ?? output.reason)
}

function say(text) {
  return [{ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: text }, { type: 'text-end', id: 't' }]
}

export function model(name) {
  return {
    specificationVersion: 'v4',
    provider: 'fixture',
    modelId: name,
    supportedUrls: {},
    async doStream({ prompt }) {
      const parts = answer(name, prompt) ?? [undefined]
      const calls = parts.some((part) => part?.type === 'tool-call')
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] })
            for (const part of parts) {
              // Never goes on from here.
              if (part === undefined) return
              controller.enqueue(part)
            }
            const unified = calls ? 'tool-calls' : 'stop'
            controller.enqueue({ type: 'finish', finishReason: { unified, raw: unified }, usage })
            controller.close()
          },
        }),
      }
    },
  }
}
`

const FILES: Readonly<Record<string, string>> = {
  'src/retinue/agents/lead/tools/ask_way.ts': `import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
export default createTool({ id: 'ask_way', description: 'Asks for the way', inputSchema: z.object({}),
  execute: (_input, { suspend, resumeData }) => ({ way: resumeData ?? suspend({ question: 'Left or right?' }) }) })\n`,
  'src/retinue/agents/lead/subagents/scout/tools/fell.ts': `import { appendFileSync } from 'node:fs'
import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
export default createTool({ id: 'fell', description: 'Fells a tree', inputSchema: z.object({ tree: z.string() }), requireApproval: true,
  execute: ({ tree }) => (appendFileSync(new URL('../../../../../../../felled.txt', import.meta.url), tree + '\\n'), { felled: tree }) })\n`,
  // Until somebody writes a file `go` into the project.
  'src/retinue/agents/lead/subagents/scout/tools/hold.ts': `import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
export default createTool({ id: 'hold', description: 'Holds on', inputSchema: z.object({}),
  execute: async () => { while (!existsSync('go')) await setTimeout(20); return { held: true } } })\n`,
  'src/retinue/agents/lead/subagents/scout/tools/ask_where.ts': `import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
export default createTool({ id: 'ask_where', description: 'Asks where', inputSchema: z.object({}),
  execute: (_input, { suspend, resumeData }) => ({ way: resumeData ?? suspend({ question: 'Where?' }) }) })\n`,
  'package.json': '{ "type": "module" }\n',
  'model.ts': MODEL,
  'src/retinue/agents/lead/config.ts': `import { model } from '../../../../model.ts'\nexport default { model: model('lead') }\n`,
  'src/retinue/agents/lead/instructions.md': 'Lead.\n',
  'src/retinue/agents/lead/subagents/scout/config.ts': `import { model } from '../../../../../../model.ts'
export default { description: 'Use to look around before an answer is given.', model: model('scout') }\n`,
  'src/retinue/agents/lead/subagents/scout/instructions.md': 'Scout.\n',
  'src/retinue/agents/lead/subagents/scout/tools/peek.ts': `import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
export default createTool({ id: 'peek', description: 'Looks', inputSchema: z.object({ at: z.string() }), execute: () => ({ seen: 0 }) })\n`,
}

/** The same, with the scout in the background. */
const IN_BACKGROUND: Readonly<Record<string, string>> = {
  'src/retinue/backgroundTasks.ts': 'export default { enabled: true }\n',
  'src/retinue/agents/lead/config.ts': `import { model } from '../../../../model.ts'
export default { model: model('lead'), backgroundTasks: { tools: { scout: true } } }\n`,
}

/**
 * A project with an agent `lead`, which delegates to `scout`, in the background if `background` is said. Scout fells trees when a person
 * approves it; lead asks for the way.
 */
export function makeProject({ background = false } = {}): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'retinue-chat-'))
  for (const [name, text] of Object.entries(background ? { ...FILES, ...IN_BACKGROUND } : FILES)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
