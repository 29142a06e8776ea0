import { onTestFinished } from 'vitest'
import { DevServer } from '../src/dev/dev-server.ts'
import type { DevState } from '../src/dev/protocol.ts'

/** A development that runs in this process, with its versions in processes of their own. */
export interface Dev {
  readonly url: string
  /** All that it said, to either stream. */
  said(): string
  /** Waits until it says something more that matches, from where the last wait ended. */
  until(pattern: RegExp): Promise<string>
  /** What it answers to a GET, as JSON. */
  get(path: string): Promise<unknown>
  state(): Promise<DevState>
  /** The agents that it serves, as it describes them. */
  agents(): Promise<readonly { readonly key: string; readonly description?: string }[]>
  /** Ends its processes, whatever they do. */
  kill(): void
  /** Ends it. */
  stop(): Promise<void>
}

export interface DevSettings {
  readonly model?: string
  /** `undefined`: where the project says. Default: a free one. */
  readonly port?: number | undefined
  /** How long a version must have served to be trusted. */
  readonly trialMs?: number
}

/** Starts it and waits until it serves. */
export async function startDev(root: string, settings: DevSettings = {}): Promise<Dev> {
  const { model, port, trialMs } = { port: 0, ...settings }
  const controller = new AbortController()
  let said = ''
  let seen = 0
  let wake = (): void => {}
  const hear = (text: string): void => {
    said += text
    wake()
  }
  const server = new DevServer({
    path: root,
    dir: undefined,
    model,
    port,
    host: undefined,
    colors: false,
    out: hear,
    err: hear,
    signal: controller.signal,
    ...(trialMs === undefined ? {} : { trialMs }),
  })
  const ended = server.run()
  ended.catch(() => {})
  const stop = (): Promise<void> => {
    controller.abort()
    return ended
  }
  onTestFinished(async () => void (await stop().catch(() => {})))
  const until = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(said.slice(seen))
      if (match) {
        seen += match.index + match[0].length
        return match[0]
      }
      const more = new Promise<void>((resolve) => (wake = resolve))
      await Promise.race([
        more,
        ended.then(() => {
          throw new Error(`it ended:\n${said}`)
        }),
      ])
    }
  }
  const url = await until(/http:\/\/[\w.:]+/)
  const get = async (path: string): Promise<unknown> => (await fetch(url + path)).json()
  return {
    url,
    said: () => said,
    until,
    get,
    state: async () => (await get('/api/dev')) as DevState,
    agents: async () => ((await get('/api/agents')) as { agents: { key: string }[] }).agents,
    kill: () => server.kill(),
    stop,
  }
}
