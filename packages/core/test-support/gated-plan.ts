import { Agent } from '../src/agent/agent.ts'
import type { AgentOptions } from '../src/agent/agent-config.ts'
import type { LanguageModel } from '../src/model/language-model.ts'
import { promptText } from '../src/testing/scripted-model.ts'
import { createTool } from '../src/tools/create-tool.ts'
import type { ToolContext } from '../src/tools/tool.ts'
import type { MortalProcess } from './mortal-process.ts'
import type { Random } from './random.ts'

/** `free` runs at once, `gate` asks first, `ask` suspends, `both` asks first and suspends then; `once` asks first and is idempotent. */
export type PlannedTool = 'free' | 'gate' | 'ask' | 'both' | 'once'

export const PLANNED_TOOLS: readonly PlannedTool[] = ['free', 'gate', 'ask', 'both']

/** An agent by what its model does: the calls of each step, a tool's or that of an agent below; after them it answers. */
export interface PlannedAgent {
  readonly key: string
  readonly id: string
  readonly steps: readonly (readonly PlannedStepCall[])[]
  /** Those of its tools, and keys of agents below, whose calls go on in the background. */
  readonly tasks?: readonly string[]
}

export type PlannedStepCall = PlannedTool | PlannedAgent

/** What of the tools can be another when a process is started again. */
export interface Deployed {
  readonly version: string
  /** `wider` has a field more, `strict` wants one that models here do not give. */
  readonly schema: 'first' | 'wider' | 'strict'
  readonly removed: ReadonlySet<PlannedTool>
}

/** A start of a tool's body. */
export interface Start {
  readonly at: string
  readonly args: Readonly<Record<string, unknown>>
  readonly version: string
  readonly resumeData: unknown
  readonly key: string
}

/** Agents of one depth have one id, and call their children by the same keys. */
export function randomPlan(random: Random, levels = random.pick([0, 0, 1, 1, 2]), depth = 0): PlannedAgent {
  const children = Array.from({ length: levels === 0 ? 0 : random.between(1, 2) }, (_none, n) => ({
    ...randomPlan(random, levels - 1, depth + 1),
    key: 'ab'[n] as string,
  }))
  const steps = Array.from({ length: random.between(1, depth === 0 ? 2 : 1) }, (_none, step) => {
    const calls: PlannedStepCall[] = []
    // Each child at least once, now and then twice in one step.
    if (step === 0) for (const child of children) calls.push(child, ...(random.chance(0.25) ? [child] : []))
    const tools = random.between(calls.length === 0 ? 1 : 0, 2)
    for (let n = 0; n < tools; n++) calls.push(random.chance(0.6) ? 'gate' : random.pick(PLANNED_TOOLS))
    return calls
  })
  return { key: 'root', id: depth === 0 ? 'root' : `worker${depth}`, steps }
}

/** The name of a call: where it was made, from the root down. */
export function callName(agent: string, step: number, n: number): string {
  return `${agent}.${step}-${n}`
}

interface Deployment {
  readonly process: MortalProcess
  readonly deployed: Deployed
  readonly onStart: (start: Start) => void | Promise<void>
  /** An agent, by its name and the step: once each, unless somebody died. `said`: what it was asked, as text. */
  readonly onModelCall: (at: string, said: string) => void | Promise<void>
  /** What an agent has beside its plan. */
  readonly more?: (plan: PlannedAgent) => Partial<AgentOptions>
}

/** The agents of a plan, as a process that is started now has them. */
export function plannedAgent(plan: PlannedAgent, deployment: Deployment): Agent {
  const below = plan.steps.flat().filter((call): call is PlannedAgent => typeof call !== 'string')
  const { deployed } = deployment
  const names = [...PLANNED_TOOLS, 'once' as const].filter((name) => !deployed.removed.has(name))
  return new Agent({
    id: plan.id,
    description: 'works',
    instructions: 'work',
    model: modelOf(plan, deployment),
    agents: Object.fromEntries(below.map((child) => [child.key, plannedAgent(child, deployment)])),
    tools: Object.fromEntries(names.map((name) => [name, plannedTool(name, deployment)])),
    ...(plan.tasks ? { backgroundTasks: { tools: Object.fromEntries(plan.tasks.map((name) => [name, true])) } } : {}),
    ...deployment.more?.(plan),
  })
}

function plannedTool(name: PlannedTool, { process, deployed, onStart }: Deployment) {
  const { version, schema } = deployed
  const text = { type: 'string' } as const
  return createTool({
    id: name,
    version,
    inputSchema: {
      type: 'object',
      properties: { at: text, note: text, ...(schema === 'wider' ? { more: text } : {}) },
      required: schema === 'strict' ? ['at', 'note'] : ['at'],
      additionalProperties: false,
    },
    requireApproval: name === 'gate' || name === 'both' || name === 'once',
    idempotent: name === 'once',
    resumeSchema: { type: 'object', properties: { said: text }, required: ['said'] },
    execute: (args: Record<string, unknown>, { resumeData, suspend, idempotencyKey }: ToolContext) =>
      process.living(async () => {
        const at = String(args['at'])
        await onStart({ at, args, version, resumeData, key: idempotencyKey })
        if ((name === 'ask' || name === 'both') && resumeData === undefined) suspend({ question: at })
        return `[ok ${at}]`
      }),
  })
}

/** It looks at the prompt for what it has done, so it knows no process: after its last step it says what came of the calls. */
function modelOf({ steps }: PlannedAgent, { process, onModelCall }: Deployment): LanguageModel {
  type Asked = { readonly prompt: Parameters<typeof promptText>[0] }
  const doStream = ({ prompt }: Asked) =>
    process.living(async () => {
      const start = prompt.findLastIndex((message) => message.role === 'user' && TASK.test(promptText([message])))
      const said = promptText(prompt.slice(start))
      const [, task = ''] = TASK.exec(said) ?? []
      const step = prompt.slice(start).filter(({ role }) => role === 'assistant').length
      await onModelCall(`${task} ${step}`, promptText(prompt))
      const calls = steps[step]
      // Ids repeat from agent to agent, as those of some providers do.
      const parts: object[] = calls
        ? calls.map((call, n) => ({
            type: 'tool-call',
            toolCallId: `call${n}`,
            ...calling(call, callName(task, step, n)),
          }))
        : textParts(`done ${task}: ${said.split('\n').slice(1).join(' ')}`)
      const reason = calls ? 'tool-calls' : 'stop'
      const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: NO_USAGE }
      return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts, finish]) }
    })
  return {
    specificationVersion: 'v4',
    provider: 'planned',
    modelId: 'm',
    supportedUrls: {},
    doStream,
  } as unknown as LanguageModel
}

/** What others answered is told in messages of users too, and may quote a task. */
const TASK = /^user: task=([\w.-]+)/
const NO_USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

/** What the root of a plan is asked. */
export const ROOT_TASK = 'task=r'

function calling(call: PlannedStepCall, at: string): { toolName: string; input: string } {
  return typeof call === 'string'
    ? { toolName: call, input: JSON.stringify({ at }) }
    : { toolName: call.key, input: JSON.stringify({ prompt: `task=${at}` }) }
}

function textParts(text: string): object[] {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
  ]
}
