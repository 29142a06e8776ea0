import type { ChooseModel, Retinue } from '@retinue/core'
import { type OwnedSchedule, ScheduleRunner } from '@retinue/project/runtime'
import type { ServerSettings } from '@retinue/server'
import { serve } from '@retinue/server/node'
import { scheduleText } from './schedule-text.ts'

/** An application that is put together, with what it is served by. */
export interface ServableApplication {
  readonly app: Retinue
  readonly schedules: readonly OwnedSchedule[]
  /** What `server.ts` says. */
  readonly settings?: ServerSettings | undefined
  /** Lets go of what was opened for it. */
  close(): Promise<void>
}

export interface ServeOptions {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly resolveModel?: ChooseModel | undefined
  /** Hears of schedules. */
  readonly err: (text: string) => void
}

export interface ServedApplication {
  readonly url: string
  readonly port: number
  readonly schedules: ScheduleRunner
  /** Takes nothing new, lets what runs end or recovers it later, and lets go of everything. To call it again is harmless. */
  close(): Promise<void>
}

/** Serves an application and runs its schedules, after it went on with what a process died over. */
export async function serveApplication(served: ServableApplication, options: ServeOptions): Promise<ServedApplication> {
  const { app, settings = {} } = served
  const { port, host, resolveModel, err } = options
  const schedules = new ScheduleRunner({
    app,
    schedules: served.schedules,
    resolveModel,
    tell: (event) => err(scheduleText(event)),
  })
  const server = await serve({
    app,
    settings,
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(resolveModel === undefined ? {} : { resolveModel }),
  })
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await Promise.all([schedules.stop(settings.shutdownMs), server.close()])
    await served.close()
  }
  const ended = (): Promise<void> => (closing ??= close())
  try {
    await schedules.start()
  } catch (error) {
    await ended().catch(() => {})
    throw error
  }
  return { url: server.url, port: server.port, schedules, close: ended }
}
