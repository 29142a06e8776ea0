import { setImmediate as tick } from 'node:timers/promises'
import type { Agent } from '../../src/agent/agent.ts'
import { Agent as AgentClass } from '../../src/agent/agent.ts'
import type { ApproveOptions, DecisionOptions } from '../../src/agent/resume-options.ts'
import type { RunOptions } from '../../src/agent/run-options.ts'
import type { RunResult } from '../../src/agent/run-result.ts'
import type { RunStream } from '../../src/agent/run-stream.ts'
import type { SuspendedRun } from '../../src/agent/suspended-runs.ts'
import { isRetinueError } from '../../src/errors/retinue-error.ts'
import { Retinue } from '../../src/retinue.ts'
import type { Approval } from '../../src/storage/approvals.ts'
import { InMemoryStorage } from '../../src/storage/in-memory-storage.ts'
import { ApprovalReference, type Asked, runs } from '../approval-reference.ts'
import {
  type Deployed,
  PLANNED_TOOLS,
  type PlannedAgent,
  plannedAgent,
  ROOT_TASK,
  randomPlan,
  type Start,
} from '../gated-plan.ts'
import { MortalProcess } from '../mortal-process.ts'
import { assert, type Property, type Tally } from '../property.ts'
import type { Random } from '../random.ts'
import { type VirtualClock, virtualClock } from '../virtual-clock.ts'

const TIMEOUT_MS = 60_000
/** Longer than a lease, and shorter than a person may take. */
const CRASH_MS = 11_000

/** A process with the application in it. */
interface Running {
  readonly process: MortalProcess
  readonly root: Agent
  readonly other: Agent
}

type Waiting = { readonly toolCallId: string; readonly at: string } & Asked

/**
 * R05: whatever people, crashes and deployments do to a run, in whatever order, what is executed is what the reference allows, and what
 * waits is what the reference says.
 */
export const approvalModel: Property = {
  name: 'R05 B7.4 B7.5 no start without a decision of its own, no call lost',
  unit: 'sequences of decisions, crashes and deployments',
  check: async (random, tally) => {
    const clock = virtualClock()
    try {
      await new Sequence(random, tally, clock).play()
    } finally {
      clock.restore()
    }
  },
}

class Sequence {
  readonly #random: Random
  readonly #tally: Tally
  readonly #clock: VirtualClock
  readonly #storage = new InMemoryStorage()
  readonly #plan: PlannedAgent
  readonly #durable: boolean
  readonly #gateAll: boolean
  #deployed: Deployed = { version: '1', schema: 'first', removed: new Set() }
  #processes: Running[] = []
  #starts: Start[] = []
  readonly #modelCalls = new Map<string, number>()
  #crashed = false
  #runs = 0
  #runId = ''
  #reference: ApprovalReference
  /** Decided before, in this run. */
  #stale: string[] = []
  readonly #log: string[] = []
  /** How the process dies that decides next. */
  #dyingIn: 'tool' | undefined

  constructor(random: Random, tally: Tally, clock: VirtualClock) {
    this.#random = random
    this.#tally = tally
    this.#clock = clock
    this.#plan = randomPlan(random)
    this.#durable = random.chance(0.4)
    this.#gateAll = random.chance(0.15)
    this.#reference = this.#newReference()
    this.#deploy()
  }

  async play(): Promise<void> {
    try {
      await this.#start()
      const steps = this.#random.between(1, 29)
      for (let n = 0; n < steps; n++) await this.#step()
      await this.#finish()
    } catch (error) {
      throw new Error(
        `${error instanceof Error ? error.message : String(error)}\n${JSON.stringify(this.#plan)}\n${this.#log.join('\n')}`,
        { cause: error },
      )
    }
  }

  async #step(): Promise<void> {
    if (this.#reference.ended) return this.#start()
    const waiting = await this.#waiting()
    const one = this.#random.pick(waiting)
    const at = this.#random.below(100)
    if (at < 40) return this.#decide(one)
    if (at < 50) return this.#refused(one)
    if (at < 57) return this.#race(one, waiting)
    if (at < 64) return this.#redeploy()
    if (at < 69) return this.#edit()
    if (at < 74) return this.#resume()
    if (at < 78) return this.#tooLate()
    if (at < 80) return this.#cancel()
    if (at < 83) return this.#abort(one)
    return this.#crash(one)
  }

  // What happens

  async #start(): Promise<void> {
    this.#runs += 1
    this.#runId = `run${this.#runs}`
    this.#modelCalls.clear()
    this.#rounds.clear()
    this.#crashed = false
    this.#stale = []
    this.#reference = this.#newReference()
    this.#did('start')
    const { root } = this.#random.pick(this.#processes)
    const options: RunOptions = {
      runId: this.#runId,
      approvalTimeoutMs: TIMEOUT_MS,
      durable: this.#durable,
      ...(this.#gateAll ? { requireToolApproval: true } : {}),
    }
    this.#goOn()
    await this.#look(await this.#run(root, options))
  }

  /** A decision that wins: its kind is what the call wants, or it is declined. */
  async #decide(one: Waiting): Promise<void> {
    const verdict = this.#verdict(one)
    this.#did(verdict.type, one.at)
    const { root } = this.#random.pick(this.#processes)
    verdict.happen()
    this.#goOn()
    this.#stale.push(one.toolCallId)
    await this.#look(await verdict.call(root, {}))
  }

  async #refused({ toolCallId, kind, tool, at }: Waiting): Promise<void> {
    const { runId } = { runId: this.#runId }
    const { root, other } = this.#random.pick(this.#processes)
    const misfit = { args: { at: 7 } }
    const cases: [string, string, () => Promise<unknown>][] = [
      ['approval-not-found', 'made-up id', () => root.approveToolCall({ runId, toolCallId: 'nothing' })],
      ['run-not-found', 'wrong run', () => root.approveToolCall({ runId: 'run0', toolCallId })],
      ['run-not-found', 'foreign agent', () => other.approveToolCall({ runId, toolCallId })],
      ['run-not-found', 'foreign agent resumes', () => other.resumeRun({ runId })],
      ['run-not-found', 'foreign agent cancels', () => other.cancelRun(runId)],
    ]
    const [stale] = this.#stale.filter((id) => ![...this.#ids.keys()].includes(id))
    if (stale) cases.push(['approval-decided', 'stale id', () => root.declineToolCall({ runId, toolCallId: stale })])
    if (kind === 'approval')
      cases.push(['decision-invalid', 'wrong kind', () => root.resumeStream({ said: 'x' }, { runId, toolCallId })])
    else cases.push(['decision-invalid', 'wrong kind', () => root.approveToolCallGenerate({ runId, toolCallId })])
    if (runs(tool, this.#deployed))
      cases.push(
        kind === 'approval'
          ? ['decision-invalid', 'misfit arguments', () => root.approveToolCall({ runId, toolCallId, ...misfit })]
          : ['decision-invalid', 'misfit answer', () => root.resumeGenerate({ said: 7 }, { runId, toolCallId })],
      )
    if (this.#ids.size > 1) cases.push(['approval-ambiguous', 'no id', () => root.approveToolCall({ runId })])
    const [code, what, call] = this.#random.pick(cases)
    this.#did('refused', `${what} ${at}`)
    await rejects(call(), [code])
    await this.#look(undefined)
  }

  /** Several decide at once, from two processes: one wins, or each its own call. */
  async #race(one: Waiting, waiting: readonly Waiting[]): Promise<void> {
    const others = waiting.filter((each) => each !== one)
    const two = others.length > 0 && this.#random.chance(0.5) ? this.#random.pick(others) : one
    const deciders = [one, two, ...(this.#random.chance(0.4) ? [this.#random.pick([one, two])] : [])]
    const verdicts = deciders.map((each) => this.#verdict(each, true))
    this.#did('race', verdicts.map(({ type }, n) => `${type} ${deciders[n]?.at}`).join(', '))
    const ended = await Promise.all(
      verdicts.map(async (verdict, n) => {
        try {
          return await verdict.call((this.#processes[n % 2] as Running).root, {})
        } catch (error) {
          assert(
            isRetinueError(error, 'approval-decided') || isRetinueError(error, 'run-not-found'),
            () => `rejected with ${String(error)}`,
          )
          return undefined
        }
      }),
    )
    for (const call of new Set(deciders)) {
      const won = deciders.flatMap((each, n) => (each === call && ended[n] ? [n] : []))
      // With the tool gone the first decision ends the other call, too.
      const lostAll = won.length === 0 && call !== one && !runs(call.tool, this.#deployed)
      const lostFirst = won.length === 0 && call === one && !runs(call.tool, this.#deployed)
      if (lostAll || lostFirst) continue
      assert(won.length === 1, () => `${won.length} decisions on ${call.at} won`)
      verdicts[won[0] as number]?.happen()
      this.#stale.push(call.toolCallId)
    }
    this.#goOn()
    await this.#look(undefined)
  }

  #redeploy(): void {
    this.#did('restart')
    this.#deploy()
  }

  #edit(): void {
    const { version, schema, removed } = this.#deployed
    const at = this.#random.below(5)
    if (at < 2) this.#deployed = { ...this.#deployed, version: String(Number(version) + 1) }
    else if (at === 2) this.#deployed = { ...this.#deployed, schema: schema === 'first' ? 'wider' : 'first' }
    else if (at === 3)
      this.#deployed = {
        ...this.#deployed,
        schema: schema === 'strict' ? 'first' : this.#random.chance(0.3) ? 'strict' : schema,
      }
    else
      this.#deployed = {
        ...this.#deployed,
        removed: removed.size > 0 || this.#random.chance(0.5) ? new Set() : new Set([this.#random.pick(PLANNED_TOOLS)]),
      }
    const { version: v, schema: s, removed: r } = this.#deployed
    this.#did('deploy', `${v} ${s} without ${[...r]}`)
    this.#deploy()
  }

  async #resume(): Promise<void> {
    const { root } = this.#random.pick(this.#processes)
    const recovers = this.#random.chance(0.3)
    this.#did(recovers ? 'recover' : 'resumeRun')
    if (recovers) {
      const streams = await root.recover()
      assert(streams.length === 0, () => 'a run was recovered that nobody died over')
      return this.#look(undefined)
    }
    this.#goOn()
    await this.#look(
      await (this.#random.chance(0.5)
        ? root.resumeRunGenerate({ runId: this.#runId })
        : resultOf(await root.resumeRun({ runId: this.#runId }))),
    )
  }

  /** Nobody decides in time: the process that waits goes on by itself; one that was started later is told to. */
  async #tooLate(): Promise<void> {
    const restarts = this.#random.chance(0.5)
    this.#did('too late', restarts ? 'after a restart' : '')
    if (restarts) this.#deploy()
    this.#clock.advance(TIMEOUT_MS + 1)
    await this.#quiet()
    const { root } = this.#random.pick(this.#processes)
    for (const stream of await root.recover()) await stream.result
    this.#goOn()
    await this.#look(undefined)
  }

  async #cancel(): Promise<void> {
    this.#did('cancel')
    await this.#random.pick(this.#processes).root.cancelRun(this.#runId)
    this.#reference.ended = true
    await this.#look(undefined)
  }

  async #abort(one: Waiting): Promise<void> {
    const verdict = this.#verdict(one)
    const ticks = this.#random.below(40)
    this.#did('abort', `${verdict.type} ${one.at} after ${ticks}`)
    const controller = new AbortController()
    const deciding = verdict.call(this.#random.pick(this.#processes).root, { abortSignal: controller.signal })
    for (let n = 0; n < ticks; n++) await Promise.resolve()
    controller.abort()
    const result = await deciding.catch((error: unknown) => {
      assert(isRetinueError(error, 'decision-aborted'), () => `rejected with ${String(error)}`)
    })
    if (!result) return this.#look(undefined)
    verdict.happen()
    this.#goOn()
    this.#stale.push(one.toolCallId)
    if (result.finishReason !== 'aborted') return this.#look(result)
    this.#reference.ended = true
    this.#crashed = true
    await this.#look(undefined)
  }

  /** The process that decides dies at a write, or in a tool; another goes on. */
  async #crash(one: Waiting): Promise<void> {
    const dying = this.#random.pick(this.#processes)
    const verdict = this.#verdict(one)
    const inTool = this.#random.chance(0.3)
    const at = this.#random.between(1, this.#durable ? 12 : 7)
    const when = this.#random.pick(['before', 'after'] as const)
    this.#did('crash', `${verdict.type} ${one.at} ${inTool ? 'in a tool' : `${when} write ${at}`}`)
    if (inTool) this.#dyingIn = 'tool'
    else dying.process.dieAt(at, when)
    const savedBefore = await this.#saved()
    let isOver = false
    verdict.call(dying.root, {}).then(
      () => (isOver = true),
      () => (isOver = true),
    )
    while (dying.process.alive && !isOver) await tick()
    await this.#quiet(false)
    for (const { process } of this.#processes) process.die()
    this.#dyingIn = undefined
    this.#crashed = true
    const before = await this.#storage.approvals.get({ runId: this.#runId, toolCallId: one.toolCallId })
    this.#clock.advance(CRASH_MS)
    const round = this.#rounds.get(one.toolCallId)
    // What has begun has begun with the tools that were there then.
    const isUntouched = before?.round === round && (before?.status === 'pending' || before?.status === 'approved')
    const nothingBegun = isUntouched && (await this.#saved()) === savedBefore
    if (nothingBegun && this.#random.chance(0.5)) this.#edit()
    else this.#deploy()
    const { root } = this.#random.pick(this.#processes)
    const taken = before?.status !== 'pending' || before.round !== round
    const isGone = await this.#storage.runs.get(this.#runId).then(
      ({ status }) => status === 'ended',
      () => true,
    )
    let wentOn = !isGone
    if (this.#random.chance(0.5)) {
      const streams = await root.recover()
      for (const stream of streams) await stream.result
      wentOn = streams.length > 0
    } else if (!isGone) await root.resumeRunGenerate({ runId: this.#runId })
    if (taken) {
      this.#stale.push(one.toolCallId)
      verdict.happen()
      // What the reference can't know it is told: whether the call had begun.
      const said = (await this.#approvals()).find((each) => each.toolCallId === one.toolCallId && each.round === round)
      if (said?.status === 'unknown') this.#reference.lost(one.at)
    }
    if (taken || wentOn) this.#goOn()
    await this.#look(undefined, true)
  }

  // What is compared

  /** Everything that waits is told by everybody who tells it, and what was started is what was allowed. */
  async #look(
    result: (RunResult & { readonly announced?: readonly string[] }) | undefined,
    timesUnknown = false,
  ): Promise<void> {
    await this.#quiet()
    const { asked, ended, allowed } = this.#reference
    this.#compareStarts(allowed)
    this.#reference.allowed = []
    const { runs, total } = await this.#random.pick(this.#processes).root.listSuspendedRuns()
    assert(
      total === (ended ? 0 : 1) && runs.length === total,
      () => `${total} runs wait, and the reference has ended: ${ended}`,
    )
    const approvals = await this.#approvals()
    this.#ids.clear()
    if (timesUnknown) this.#takeOverTimes(runs)
    const expected = ended ? [] : [...asked].map(([at, { kind, expiresAt }]) => `${at} ${kind} ${expiresAt}`).toSorted()
    const listed = runs.flatMap(({ toolCalls }) =>
      toolCalls.map(({ toolCallId, args, requiresApproval, expiresAt }) => {
        const at = nameOf(args)
        this.#ids.set(toolCallId, at)
        return `${at} ${requiresApproval ? 'approval' : 'suspension'} ${expiresAt}`
      }),
    )
    same(listed.toSorted(), expected, 'listed as waiting')
    for (const { toolCallId, round } of approvals) this.#rounds.set(`${toolCallId}`, round)
    if (ended) {
      const open = approvals.filter(
        ({ status }) => status === 'pending' || status === 'approved' || (status === 'started' && !this.#crashed),
      )
      assert(open.length === 0, () => `the run has ended, and these are open: ${JSON.stringify(open)}`)
    }
    if (!this.#crashed)
      for (const [at, count] of this.#modelCalls)
        assert(count === 1, () => `a model was asked ${count} times for ${at}`)
    if (result) this.#compareResult(result)
    this.#tally(ended ? 'ends' : 'waits')
  }

  /** When a call was asked that a process asked before it died, nobody can say. */
  #takeOverTimes(runs: readonly SuspendedRun[]): void {
    const { asked } = this.#reference
    for (const { args, expiresAt } of runs.flatMap(({ toolCalls }) => toolCalls)) {
      const known = asked.get(nameOf(args))
      if (known && expiresAt !== undefined) asked.set(nameOf(args), { ...known, expiresAt })
    }
  }

  #compareStarts(allowed: ApprovalReference['allowed']): void {
    const starts = this.#starts.splice(0)
    const said = (start: Start) =>
      JSON.stringify([
        start.at,
        start.args['note'],
        start.version,
        (start.resumeData as { said?: string } | undefined)?.said,
      ])
    const expected = allowed.map(({ at, note, version, said: answer, free }) => ({
      text: JSON.stringify([at, note, version, answer]),
      free,
    }))
    const left = expected.slice()
    for (const start of starts) {
      const index = left.findIndex(({ text }) => text === said(start))
      const isRepeated = this.#crashed && expected.some(({ text, free }) => free && text === said(start))
      assert(
        index >= 0 || isRepeated,
        () => `started and not allowed: ${said(start)} of ${expected.map(({ text }) => text).join(' ')}`,
      )
      if (index >= 0) left.splice(index, 1)
    }
    assert(
      left.length === 0 || this.#crashed,
      () => `allowed and not started: ${left.map(({ text }) => text).join(' ')}`,
    )
    this.#tally('starts', starts.length)
  }

  #compareResult(result: RunResult & { readonly announced?: readonly string[] }): void {
    const { asked, ended, closed } = this.#reference
    const ids = [...this.#ids.keys()].toSorted()
    assert(
      result.finishReason === (ended ? 'stop' : 'suspended'),
      () => `it ended with ${result.finishReason} ${result.error?.message}`,
    )
    same((result.pendingCalls ?? []).map(({ toolCallId }) => toolCallId).toSorted(), ids, 'in the result')
    if (result.announced) same(result.announced.toSorted(), ids, 'announced')
    assert(ended || asked.size > 0, () => 'it waits for nothing')
    if (!ended) return
    for (const [at, how] of closed)
      assert(how !== 'ran' || result.text.includes(`[ok ${at}]`), () => `the answer lacks ${at}: ${result.text}`)
  }

  async #finish(): Promise<void> {
    // Whoever is left decides: the run comes to its end.
    for (let n = 0; !this.#reference.ended; n++) {
      assert(n < 100, () => 'it does not end')
      await this.#decide((await this.#waiting())[0] as Waiting)
    }
  }

  // Helpers

  readonly #ids = new Map<string, string>()
  readonly #rounds = new Map<string, number>()

  async #waiting(): Promise<Waiting[]> {
    const waiting: Waiting[] = []
    for (const [toolCallId, at] of this.#ids) {
      const asked = this.#reference.asked.get(at)
      if (asked) waiting.push({ toolCallId, at, ...asked })
    }
    assert(waiting.length > 0, () => 'nothing waits')
    return waiting
  }

  async #approvals(): Promise<readonly Approval[]> {
    return (await this.#storage.approvals.list({ runId: this.#runId, limit: 500 })).items
  }

  #verdict(one: Waiting, named = !(this.#ids.size === 1 && this.#random.chance(0.5))): Verdict {
    const { toolCallId, kind, at, tool } = one
    const base = {
      runId: this.#runId,
      ...(named ? { toolCallId } : {}),
      decidedBy: 'ada',
    }
    const streams = this.#random.chance(0.5)
    const declines = this.#random.chance(0.25)
    const edits = tool !== 'child' && this.#random.chance(0.3)
    const now = () => this.#clock.now()
    if (declines)
      return {
        type: 'decline',
        happen: () => this.#reference.decline(at),
        call: (agent, more) => ended(streams, agent, 'declineToolCall', { ...base, ...more, reason: `no ${at}` }),
      }
    if (kind === 'suspension')
      return {
        type: 'answer',
        happen: () => this.#reference.allow(at, { edited: false, said: `yes ${at}` }, this.#deployed, now()),
        call: async (agent, more) =>
          streams
            ? resultOf(await agent.resumeStream({ said: `yes ${at}` }, { ...base, ...more }))
            : agent.resumeGenerate({ said: `yes ${at}` }, { ...base, ...more }),
      }
    return {
      type: edits ? 'edit' : 'approve',
      happen: () => this.#reference.allow(at, { edited: edits }, this.#deployed, now()),
      call: (agent, more) =>
        ended(streams, agent, 'approveToolCall', {
          ...base,
          ...more,
          ...(edits ? { args: { at, note: 'edited' } } : {}),
        }),
    }
  }

  async #run(root: Agent, options: RunOptions): Promise<RunResult> {
    return this.#random.chance(0.5)
      ? root.generate(ROOT_TASK, options)
      : resultOf(await root.stream(ROOT_TASK, options))
  }

  #newReference(): ApprovalReference {
    return new ApprovalReference(this.#plan, this.#gateAll, TIMEOUT_MS)
  }

  #goOn(): void {
    this.#reference.goOn(this.#deployed, this.#clock.now())
  }

  /** Two processes with what is deployed now; those before are no more. */
  #deploy(): void {
    for (const { process } of this.#processes) process.die()
    const deployed = this.#deployed
    this.#processes = [0, 1].map(() => {
      const process = new MortalProcess()
      const onStart = (start: Start): void => {
        this.#starts.push(start)
        if (this.#dyingIn === 'tool') process.die()
      }
      const onModelCall = (at: string): void => void this.#modelCalls.set(at, (this.#modelCalls.get(at) ?? 0) + 1)
      // Most processes do nothing before the next deployment: their agents are made when they are asked.
      let made: Retinue | undefined
      const app = (): Retinue => {
        const root = (): Agent => plannedAgent(this.#plan, { process, deployed, onStart, onModelCall })
        const other = (): Agent => new AgentClass({ id: 'other', instructions: '', model: 'none/none' })
        const storage = process.storage(this.#storage)
        made ??= new Retinue({ agents: { root: root(), other: other() }, storage, logger: false })
        return made
      }
      return {
        process,
        get root() {
          return app().getAgent('root')
        },
        get other() {
          return app().getAgent('other')
        },
      }
    })
  }

  /** Waits until nobody works on a run any more. */
  async #quiet(leases = true): Promise<void> {
    for (let n = 0; n < 5; n++) await tick()
    // Time stands still here, and a busy machine takes some for each digest: only a clock that goes says that nobody will stop.
    const end = performance.now() + 10_000
    while (leases) {
      const { items } = await this.#storage.runs.list({ limit: 100 })
      if (items.every(({ status, lease }) => status !== 'running' && !lease)) return
      assert(performance.now() < end, () => 'somebody works on a run, and does not stop')
      await tick()
    }
  }

  async #saved(): Promise<string> {
    return JSON.stringify((await this.#storage.runs.get(this.#runId).catch(() => undefined))?.body)
  }

  #did(what: string, more = ''): void {
    this.#log.push(`${this.#runId} ${what} ${more}`)
    this.#tally(what)
  }
}

interface Verdict {
  readonly type: 'approve' | 'edit' | 'decline' | 'answer'
  /** What it means. */
  happen(): void
  call(agent: Agent, more: Pick<DecisionOptions, 'abortSignal'>): Promise<RunResult>
}

async function ended(
  streams: boolean,
  agent: Agent,
  method: 'approveToolCall' | 'declineToolCall',
  options: ApproveOptions & { reason?: string },
): Promise<RunResult> {
  return streams ? resultOf(await agent[method](options)) : agent[`${method}Generate`](options)
}

/** A stream's result, with what it announced at its top level. */
async function resultOf(stream: RunStream): Promise<RunResult & { readonly announced: readonly string[] }> {
  const announced: string[] = []
  for await (const chunk of stream.fullStream)
    if (chunk.type === 'tool-call-approval' || chunk.type === 'tool-call-suspended')
      announced.push(chunk.payload.toolCallId)
  return { ...(await stream.result), announced }
}

async function rejects(call: Promise<unknown>, codes: readonly string[]): Promise<void> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert(
    isRetinueError(error) && codes.includes(error.code),
    () => `not refused with ${codes.join(', ')}: ${String(error)}`,
  )
}

function nameOf(args: unknown): string {
  const { at, prompt } = args as { at?: string; prompt?: string }
  return at ?? (prompt ?? '').replace('task=', '')
}

function same(got: readonly string[], expected: readonly string[], what: string): void {
  assert(
    JSON.stringify(got) === JSON.stringify(expected),
    () => `${what}: ${got.join(', ')}; expected: ${expected.join(', ')}`,
  )
}
