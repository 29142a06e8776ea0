import type { ApprovalChange, ApprovalRequest } from './approvals.ts'
import type { Page, PageRequest } from './page.ts'
import type { NewRunEvents, RunEventsPage, RunEventsQuery } from './run-events.ts'
import type { Value } from './values.ts'

/** `suspended`: it waits for a person. `running`: somebody works on it, or died over it. `ended`: it is kept for its result. */
export type RunStatus = 'running' | 'suspended' | 'ended'

/** Who works on a run, and until when nobody else may. */
export interface Lease {
  /** Unguessable, and new for each time that somebody begins to work on a run. */
  readonly holder: string
  readonly until: number
}

/** A run without its body. */
export interface RunFacts {
  /** The root run's id. */
  readonly runId: string
  /** The root agent's id. */
  readonly agentId: string
  readonly status: RunStatus
  readonly threadId?: string
  readonly resourceId?: string
  readonly createdAt: number
  readonly updatedAt: number
  /** 1 when it was first saved, and one more each time. */
  readonly version: number
  readonly lease?: Lease
}

/** A root run with everything below it, as far as it got. */
export interface StoredRun extends RunFacts {
  readonly body: Value
}

/** What is written of a run, all in one transaction. */
export interface RunSave {
  readonly runId: string
  readonly agentId: string
  readonly status: RunStatus
  readonly threadId?: string
  readonly resourceId?: string
  readonly body: Value
  /** Left out: nobody works on it any more. */
  readonly lease?: Lease
  /** The version that the writer knows, 0 for a new run: if another is there by now nothing is written. */
  readonly expectedVersion: number
  /** Questions that it now waits for; one that is there already stays as it is. */
  readonly requests?: readonly ApprovalRequest[]
  /** Moves that are made with it, or nothing is written. */
  readonly moves?: readonly ApprovalChange[]
  readonly at: number
}

export interface RunRemoval {
  readonly runId: string
  readonly expectedVersion: number
  readonly moves?: readonly ApprovalChange[]
  readonly at: number
}

export interface RunQuery extends PageRequest {
  readonly agentId?: string
  readonly status?: RunStatus
  readonly threadId?: string
  readonly resourceId?: string
}

export interface RunPage extends Page<RunFacts> {
  /** How many runs there are on all pages. */
  readonly total: number
}

/** Runs that wait, or that must survive a crash: one row each, whatever hangs below. */
export interface RunStorage {
  /**
   * Writes a run, and gives its new version. `storage-conflict` if another version is there, or a move could not be made: then nothing
   * was written. `run-exists` if it is said to be new and is there.
   */
  save(save: RunSave): Promise<number>
  /** `run-not-found` if it is not there. */
  get(runId: string): Promise<StoredRun>
  /** The oldest first. */
  list(query: RunQuery): Promise<RunPage>
  /**
   * Takes the lease of a run, and gives the run as it now stands, with a version of its own and nothing else changed. Undefined while
   * another holder's lease lives: one whose `until` lies after `at`, unless the store knows that its process is dead. `run-not-found`.
   */
  acquire(request: { runId: string; holder: string; until: number; at: number }): Promise<StoredRun | undefined>
  /** Prolongs a lease, without a new version. False if it is somebody else's by now, or the run is gone. */
  renew(request: { runId: string; holder: string; until: number }): Promise<boolean>
  /** Lets a lease go, without a new version. Harmless if it is somebody else's by now. */
  release(request: { runId: string; holder: string }): Promise<void>
  /**
   * Keeps what a run told, for readers that come back. False, and nothing is kept, if there is no such run. Events of numbers that are
   * there already stay as they are.
   */
  appendEvents(events: NewRunEvents): Promise<boolean>
  /** What a run told, in its order; empty if there is no such run, or nothing was kept of it. */
  listEvents(query: RunEventsQuery): Promise<RunEventsPage>
  /**
   * Deletes a run with what it told, and the lists of `TaskStorage` whose ids begin as `listsOfRun` says; its approvals stay.
   * `storage-conflict` as in `save`; to delete one that is not there is `run-not-found`.
   */
  remove(removal: RunRemoval): Promise<void>
}
