import type { Retinue } from '@retinue/core'
import type { Agent, ChooseModel } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import type { Storage } from '@retinue/core/storage'
import type { RunHub } from '../runs/run-hub.ts'
import type { SaidOnce } from '../runs/said-once.ts'
import type { TaskFeeds } from '../runs/task-feeds.ts'
import type { CheckedSettings } from '../settings/checked-settings.ts'

/** What routes work with. */
export interface Services {
  readonly app: Retinue
  readonly storage: Storage
  readonly hub: RunHub
  readonly feeds: TaskFeeds
  readonly settings: CheckedSettings
  readonly resolveModel: ChooseModel | undefined
  /** What pages are saying, by chat and message. */
  readonly said: Map<string, SaidOnce>
}

/** The agent of an id, or under a key. Throws `agent-unknown`. */
export function agentOf({ app }: Services, idOrKey: string): Agent {
  try {
    return app.getAgentById(idOrKey)
  } catch (thrown) {
    const keyed = app.listAgents()[idOrKey]
    if (keyed && isRetinueError(thrown, 'agent-unknown')) return keyed
    throw thrown
  }
}
