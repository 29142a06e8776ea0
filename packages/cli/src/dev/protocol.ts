import type { CheckResult } from '@retinue/project'

/** What a generation is told. A connection comes beside `connection`. */
export type ToGeneration =
  | { readonly type: 'load'; readonly order: LoadOrder }
  /** What was found since it was loaded, for those who ask it over HTTP. */
  | { readonly type: 'state'; readonly state: DevState }
  | { readonly type: 'connection' }
  /** Another one serves, and may turn out to be no good: schedules are left to it. */
  | { readonly type: 'rest' }
  /** It serves again, after it rested. */
  | { readonly type: 'resume'; readonly state: DevState }
  /** Another one serves, or everything ends: what runs is to end, schedules after so many milliseconds at most, and then the process. */
  | { readonly type: 'retire'; readonly schedulesMs?: number }

export interface LoadOrder {
  readonly path: string
  readonly dir: string | undefined
  readonly model: string | undefined
  /** Where flags say that it is to be reached. */
  readonly port: number | undefined
  readonly host: string | undefined
  readonly generation: number
  /** Whether to serve findings where there are errors: nothing else serves yet. */
  readonly serveFindings: boolean
  /** Nothing is loaded: there is only this to be told to those who ask. */
  readonly only?: DevState
}

/** How it stands with the folder: what `GET /api/dev` answers. */
export interface DevState {
  /** The version that serves, from 1; 0 where none does. */
  readonly generation: number
  readonly status: 'ok' | 'broken'
  readonly findings: CheckResult['findings']
  /** What went wrong although there are no errors among the findings. */
  readonly problem?: string
}

/** Where the generation is to be reached, as flags, variables and `server.ts` say. */
export interface WantedPlace {
  readonly port: number | undefined
  readonly host: string | undefined
}

/** Which model answers for an agent. */
export interface TreeLine {
  readonly key: string
  readonly depth: number
  readonly requested: string
  readonly used: string
}

export type FromGeneration =
  | { readonly type: 'examined'; readonly check: CheckResult; readonly files: readonly string[] }
  /** A file is loaded, now or later: its absolute path. */
  | { readonly type: 'file'; readonly path: string }
  /** It takes connections. */
  | { readonly type: 'live'; readonly place: WantedPlace; readonly tree: readonly TreeLine[] }
  | { readonly type: 'failed'; readonly problem: string }
  /** It was live, and something in it threw that nobody caught: nobody knows what was left half done. */
  | { readonly type: 'stray'; readonly problem: string }
