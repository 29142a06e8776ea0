import { isDeepStrictEqual } from 'node:util'
import {
  Agent,
  type InputMessage,
  lastMessages,
  type Message,
  type MessageFilter,
  maxTokens,
} from '../../src/agent/index.ts'
import type { RunResult } from '../../src/agent/run-result.ts'
import { isRetinueError } from '../../src/errors/index.ts'
import type { DelegationEnvelope } from '../../src/events/envelope.ts'
import { type ScriptedModels, scriptedModels } from '../../src/testing/index.ts'
import { createTool } from '../../src/tools/index.ts'
import { assert, type Property } from '../property.ts'
import type { Random } from '../random.ts'

// Marks of what a child must not see have a blank: no data of a file holds one.
const [ROW, THOUGHT] = ['THE ROW', 'A THOUGHT']

function randomPart(random: Random, id: string): object {
  switch (random.below(4)) {
    case 0:
      return {
        type: 'image',
        image: Uint8Array.from({ length: random.between(1, 40) }, () => random.below(256)),
        mediaType: 'image/png',
      }
    case 1:
      return { type: 'file', data: new URL(`https://example.com/${id}`), mediaType: 'application/pdf', filename: id }
    default:
      return { type: 'text', text: `${id} ${'é😀x'.repeat(random.below(5))}`, providerOptions: { acme: { id } } }
  }
}

/** A valid conversation of users, assistants with reasoning, and parallel calls, that ends with the user. */
function randomHistory(random: Random): InputMessage[] {
  const out: InputMessage[] = [{ role: 'user', content: [randomPart(random, 'first')] }]
  const turns = random.below(8)
  for (let n = 0; n < turns; n++) {
    const kind = random.below(4)
    if (kind === 0) out.push({ role: 'user', content: [randomPart(random, `u${n}`), randomPart(random, `v${n}`)] })
    if (kind === 1) {
      const content = [
        { type: 'reasoning', text: THOUGHT },
        { type: 'text', text: `a${n}` },
      ]
      out.push({ role: 'assistant', content })
    }
    if (kind < 2) continue
    const ids = Array.from({ length: random.between(1, 3) }, (_, k) => ({ toolCallId: `c${n}-${k}`, toolName: 'tool' }))
    const say = kind === 2 ? [{ type: 'text', text: `calling ${n}` }] : []
    const calls = ids.map((call) => ({ type: 'tool-call', ...call, input: {} }))
    out.push({ role: 'assistant', content: [...say, ...calls] })
    // Some results were never recorded.
    const recorded = ids.slice(random.below(2))
    const output = { type: 'text', value: ROW }
    const results = recorded.map((call) => ({ type: 'tool-result', ...call, output }))
    if (results.length > 0) out.push({ role: 'tool', content: results })
  }
  out.push({ role: 'user', content: 'Go' })
  return out
}

function randomFilter(random: Random): MessageFilter | undefined {
  const k = random.below(12)
  switch (random.below(8)) {
    case 0:
      return undefined
    case 1:
      return lastMessages(k)
    case 2:
      return maxTokens(k * 100)
    case 3:
      return ({ messages }) => messages.filter(() => random.chance(0.5))
    case 4:
      return ({ messages }) => messages.filter(({ role }) => role === 'assistant')
    case 5:
      return ({ messages }) => messages.toReversed()
    case 6:
      return ({ messages }) => messages.map((message) => ({ ...message }))
    default:
      return ({ messages }) => [...messages, ...messages, { role: 'assistant', content: [] }]
  }
}

const optionsOf = (filter: MessageFilter | undefined) => (filter ? { delegation: { messageFilter: filter } } : {})

/** sup → child → leaf, each delegating after a round of tools, under a filter of its own at both levels. */
function family(random: Random): { sup: Agent; script: ScriptedModels } {
  const tool = createTool({ id: 'tool', description: 't', execute: () => ROW })
  const leaf = new Agent({ id: 'leaf', description: 'd' })
  const defaultOptions = optionsOf(randomFilter(random))
  const child = new Agent({ id: 'child', description: 'd', agents: { leaf }, tools: { tool }, defaultOptions })
  // Providers repeat ids.
  const use = { calls: [{ id: 'same', name: 'tool', args: {} }] }
  const ask = (name: string) => ({
    text: random.chance(0.5) ? 'Asking.' : '',
    reasoning: THOUGHT,
    calls: [{ name, args: { prompt: `to ${name}` } }],
  })
  const script = scriptedModels({
    sup: [use, ask('child'), { text: 'end' }, { text: 'again' }],
    'sup/child': [use, ask('leaf'), { text: 'child' }],
    'sup/child/leaf': [{ text: 'leaf' }],
  })
  return { sup: new Agent({ id: 'sup', agents: { child }, tools: { tool } }), script }
}

const partsOf = (message: Message): unknown[] =>
  typeof message.content === 'string' ? [message.content] : message.content

function withoutOptions(part: unknown): string {
  const { providerOptions: _options, ...rest } = part as Record<string, unknown>
  return JSON.stringify(rest)
}

/** What a child's model was asked: parts of the parent's as they were, then the prompt, and nothing that is the parent's alone. */
function assertChildView(script: ScriptedModels, path: string, known: ReadonlySet<string>): void {
  const prompt = script.calls(path)[0]?.prompt ?? []
  const task = { role: 'user', content: [{ type: 'text', text: `to ${path.split('/').at(-1)}` }] }
  assert(
    isDeepStrictEqual(prompt.at(-1), task),
    () => `the last message of ${path} is ${JSON.stringify(prompt.at(-1))}`,
  )
  assert(prompt[0]?.role === 'user', () => `the first message of ${path} is the ${prompt[0]?.role}’s`)
  const leaked = new RegExp(`${ROW}|${THOUGHT}|tool-call|providerOptions`).exec(JSON.stringify(prompt))
  assert(!leaked, () => `${path} sees ${leaked}`)
  for (const part of prompt.flatMap(partsOf)) {
    const text = (part as { text?: string }).text
    if (text === 'Asking.' || text?.startsWith('to ')) continue
    assert(known.has(withoutOptions(part)), () => `${path} sees ${JSON.stringify(part)}, which nobody said`)
  }
}

/** Bytes of images and URLs of files are in what the model was asked. */
function assertBytes(input: readonly InputMessage[], asked: string): void {
  for (const message of input) {
    if (!('content' in message) || !Array.isArray(message.content)) continue
    for (const part of message.content as { type: string; image?: Uint8Array; data?: URL }[]) {
      const data = part.image ? Buffer.from(part.image).toString('base64') : part.data?.href
      assert(data === undefined || asked.includes(data), () => `${data} did not reach the model`)
    }
  }
}

/** What an application keeps of a history that it cuts anywhere: from the next user's message on, or from the cut itself. */
function cut(random: Random, history: readonly InputMessage[]): InputMessage[] {
  const rest = history.slice(random.below(history.length))
  return rest[0]?.role === 'tool' ? rest : rest.slice(rest.findIndex(({ role }) => role === 'user'))
}

async function assertRefused(sup: Agent, script: ScriptedModels, input: InputMessage[]): Promise<void> {
  const thrown: unknown = await sup.generate(input, { resolveModel: script.resolveModel }).catch((error) => error)
  assert(isRetinueError(thrown, 'input-invalid'), () => `a result without its call is answered with ${String(thrown)}`)
  assert(script.calls('sup').length === 0, () => 'a model was called with a result without its call')
}

/** The run's history is one to go on from: what was asked first, then what came of it. */
async function assertGoesOn(sup: Agent, script: ScriptedModels, input: InputMessage[], result: RunResult) {
  const [first, , third] = script.calls('sup')
  const before = first?.prompt ?? []
  const kept = isDeepStrictEqual(third?.prompt.slice(0, before.length), before)
  assert(kept, () => 'the parent’s own history changed while it delegated')
  const next = [...input, ...(result.response.messages as InputMessage[]), { role: 'user' as const, content: 'More' }]
  const { text } = await sup.generate(next, { resolveModel: script.resolveModel })
  assert(text === 'again', () => `the next turn says ${text}`)
}

export const histories: Property = {
  name: 'R11',
  unit: 'histories',
  async check(random, tally) {
    const history = randomHistory(random)
    const input = random.chance(0.3) ? cut(random, history) : history
    const { sup, script } = family(random)
    if (input[0]?.role === 'tool') {
      tally('refused before a model was asked')
      return assertRefused(sup, script, input)
    }
    const options = optionsOf(randomFilter(random))
    const result = await sup.generate(input, { resolveModel: script.resolveModel, ...options })
    const envelope = result.toolResults[1]?.result as DelegationEnvelope | undefined
    assert(envelope?.status === 'completed', () => `the delegation ended as ${envelope?.status}`)
    const asked = script.calls('sup')[0]?.prompt ?? []
    assertBytes(input, JSON.stringify(asked))
    const known = new Set(asked.flatMap(partsOf).map(withoutOptions))
    for (const path of ['sup/child', 'sup/child/leaf']) assertChildView(script, path, known)
    await assertGoesOn(sup, script, input, result)
    script.assertDone()
    const seen = (script.calls('sup/child')[0]?.prompt.length ?? 1) - 1
    tally(
      seen === 0 ? 'handed over nothing' : seen < asked.length ? 'handed over a part' : 'handed over as much or more',
    )
  },
}
