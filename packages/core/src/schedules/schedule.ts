import type { Agent, AgentInput, RunOptions, RunResult } from '../agent/index.ts'

/** What a root agent does by itself at certain times: it answers a prompt, or a function does something with it. */
export type Schedule = ScheduleTimes & (PromptSchedule | HandlerSchedule)

export interface ScheduleTimes {
  /** Five fields: minute, hour, day of the month, month, day of the week. `'0 9 * * 1-5'` is at nine on weekdays. */
  readonly cron: string
  /**
   * An IANA time zone, such as `'Europe/Paris'`, in which the fields are read. Default: `'UTC'`. Where its clocks are set, minutes or hours
   * with a `*` or a step over it go by the clock, which may show a time twice or never; any other time comes exactly once: one that the
   * clock leaves out comes in the first free minute after that.
   */
  readonly timeZone?: string
  /** Said where schedules are listed. */
  readonly description?: string
  /** Whether it starts anew while it is still running from the last time. Default: false, and then a time is left out, and that is told. */
  readonly allowOverlap?: boolean
  /**
   * Whether it runs once, when an application starts, for the times that it missed while none was running. Default: false. What was
   * missed is told in either case.
   */
  readonly catchUp?: boolean
}

export interface PromptSchedule {
  /** What the agent is asked. Each time is a conversation of its own. */
  readonly prompt: string
  readonly handler?: undefined
}

export interface HandlerSchedule {
  readonly prompt?: undefined
  /** What is done. What it throws is told and kept as the outcome; the next time it runs again. */
  readonly handler: (context: ScheduleContext) => unknown
}

export interface ScheduleContext {
  /** The agent in whose folder the schedule stands. */
  readonly agent: Agent
  /** `daily`, or `reports/daily` for one in a folder. */
  readonly key: string
  /** The time that it was due: its own, not that at which it came to run. */
  readonly due: Date
  /** Aborts when the application ends before the handler does. */
  readonly abortSignal: AbortSignal
  /**
   * Runs the agent as a schedule with a prompt would: in a conversation of this time's own, with the model that is chosen for it, until
   * its background tasks are done and answered. An `abortSignal` of the options stands beside the one above. A run is a part of its time
   * also where the handler does not wait for it; one that ends with less than a whole answer (`length`, `max-steps` and the like) makes
   * the time one that failed.
   */
  run(input: AgentInput, options?: RunOptions): Promise<RunResult>
}

/** Types a schedule. It gives its argument back: what is wrong with it, `retinue check` says. */
export function createSchedule<const S extends Schedule>(schedule: S): S {
  return schedule
}
