import type { ModuleFact } from '../facts/facts.ts'
import type { ModuleSlot } from '../layout.ts'

/** A module to load. `file` is relative to the project's root. */
export interface LoadRequest {
  readonly file: string
  readonly slot: ModuleSlot
}

/** Why a module could not be loaded. */
export interface LoadFailure {
  readonly kind: 'threw' | 'not-found' | 'exited' | 'timeout'
  readonly message: string
  /** What to do about it, where the error says so. */
  readonly hint?: string
  /** Where it happened, if that is known: a file of the project. */
  readonly at?: { readonly file: string; readonly line: number; readonly column: number }
  /** What is wrong with a module that Node could not make one of, where that is known. */
  readonly mistake?: Mistake
  /** What could not be imported, and the file that asked for it. */
  readonly missing?: { readonly specifier: string; readonly importer: string }
}

/** It is read as CommonJS; it imports a name that is not exported; its types are more than can be left out. */
export type Mistake = 'common-js' | 'export-missing' | 'types-needed'

export type LoadResult =
  | { readonly ok: true; readonly fact: ModuleFact }
  | { readonly ok: false; readonly failure: LoadFailure }

/** Runs the code of modules. The one port through which user code is run. */
export interface ModuleLoader {
  /** Loads modules one after the other, each once. The results stand in the order of the requests; nothing is thrown. */
  load(requests: readonly LoadRequest[]): Promise<readonly LoadResult[]>
  /** Errors that modules threw later, when nobody waited for them any more. */
  strays(): readonly { readonly file: string; readonly failure: LoadFailure }[]
}
