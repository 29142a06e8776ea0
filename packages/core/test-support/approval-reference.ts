import { callName, type Deployed, type PlannedAgent, type PlannedStepCall, type PlannedTool } from './gated-plan.ts'

/** A call that waits, as the reference knows it. */
export interface Asked {
  readonly kind: 'approval' | 'suspension'
  readonly tool: PlannedTool | 'child'
  /** The tool that it was asked about. */
  readonly bound: string
  readonly expiresAt: number
  /** What a person put in place of its arguments. */
  readonly edited: boolean
}

/** A start that a decision, or no gate, allows. */
export interface Allowed {
  readonly at: string
  readonly note: string | undefined
  readonly version: string
  readonly said: string | undefined
  /** Nobody decided it: after a crash it may be there twice. */
  readonly free: boolean
}

/** What may have been executed of a run, and what waits: all that a person can rely on, in a form that is too simple to be wrong. */
export class ApprovalReference {
  readonly asked = new Map<string, Asked>()
  /** How each call ended. */
  readonly closed = new Map<string, 'ran' | 'declined' | 'gone' | 'unknown'>()
  /** Delegations that a person let begin. */
  readonly begun = new Set<string>()
  /** What may have been started since somebody looked. */
  allowed: Allowed[] = []
  ended = false
  readonly #plan: PlannedAgent
  readonly #gateAll: boolean
  readonly #timeout: number

  constructor(plan: PlannedAgent, gateAll: boolean, timeout: number) {
    this.#plan = plan
    this.#gateAll = gateAll
    this.#timeout = timeout
  }

  /** A process goes on with the run: what can't run, or has waited too long, is over; then what comes next is asked. */
  goOn(deployed: Deployed, now: number): void {
    for (const [at, { tool, expiresAt }] of this.asked) {
      if (!runs(tool, deployed)) this.#close(at, 'gone')
      else if (expiresAt <= now) this.#close(at, 'declined')
    }
    this.ended = this.#isOver(this.#plan, 'r', deployed, now)
  }

  /** Somebody approved or answered a call: it may start, once, if it is what was asked about. */
  allow(at: string, decision: { edited: boolean; said?: string }, deployed: Deployed, now: number): void {
    const asked = this.asked.get(at) as Asked
    if (!runs(asked.tool, deployed)) this.#close(at, 'gone')
    else if (asked.bound !== boundTo(asked.tool, deployed))
      this.#ask(at, asked.tool, asked.kind, asked.edited, deployed, now)
    else {
      this.asked.delete(at)
      this.#start(at, asked.tool, asked.edited || decision.edited, decision.said, deployed, now)
    }
  }

  decline(at: string): void {
    this.#close(at, 'declined')
  }

  /** Whoever started it died before it could say how it ended. */
  lost(at: string): void {
    this.#close(at, 'unknown')
  }

  #close(at: string, how: 'ran' | 'declined' | 'gone' | 'unknown'): void {
    this.asked.delete(at)
    this.closed.set(at, how)
  }

  #ask(at: string, tool: Asked['tool'], kind: Asked['kind'], edited: boolean, deployed: Deployed, now: number): void {
    this.asked.set(at, { kind, tool, bound: boundTo(tool, deployed), expiresAt: now + this.#timeout, edited })
  }

  #start(
    at: string,
    tool: Asked['tool'],
    edited: boolean,
    said: string | undefined,
    deployed: Deployed,
    now: number,
  ): void {
    if (tool === 'child') {
      this.begun.add(at)
      return
    }
    const free = said === undefined && (tool === 'ask' || tool === 'free') && !this.#gateAll
    this.allowed.push({ at, note: edited ? 'edited' : undefined, version: deployed.version, said, free })
    if ((tool === 'ask' || tool === 'both') && said === undefined)
      this.#ask(at, tool, 'suspension', edited, deployed, now)
    else this.#close(at, 'ran')
  }

  /** Whether a call has ended, after all that can happen without a person. */
  #isOverCall(call: PlannedStepCall, at: string, deployed: Deployed, now: number): boolean {
    if (this.closed.has(at)) return true
    if (this.asked.has(at)) return false
    const tool = typeof call === 'string' ? call : 'child'
    const waits = this.#gateAll || tool === 'gate' || tool === 'both'
    if (typeof call !== 'string' && (this.begun.has(at) || !waits)) return this.#isOver(call, at, deployed, now)
    if (!runs(tool, deployed)) this.#close(at, 'gone')
    else if (waits) this.#ask(at, tool, 'approval', false, deployed, now)
    else this.#start(at, tool, false, undefined, deployed, now)
    return this.closed.has(at)
  }

  #isOver({ steps }: PlannedAgent, name: string, deployed: Deployed, now: number): boolean {
    return steps.every((calls, step) => {
      const over = calls.map((call, n) => this.#isOverCall(call, callName(name, step, n), deployed, now))
      return over.every(Boolean)
    })
  }
}

/** Whether a call as models make them here can run at all. */
export function runs(tool: Asked['tool'], { removed, schema }: Deployed): boolean {
  return tool === 'child' || (!removed.has(tool) && schema !== 'strict')
}

function boundTo(tool: Asked['tool'], { version, schema }: Deployed): string {
  return tool === 'child' ? '' : `${version} ${schema}`
}
