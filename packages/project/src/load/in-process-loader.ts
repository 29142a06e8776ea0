import { pathToFileURL } from 'node:url'
import { applicationOf } from '../exported-application.ts'
import { AgentIdentities } from '../facts/agent-identities.ts'
import { followLoading } from './followed-loading.ts'
import { loadModule } from './load-module.ts'
import type { LoadFailure, LoadRequest, LoadResult, ModuleLoader } from './module-loader.ts'
import { printToStderr } from './print-to-stderr.ts'
import { resolveImportsOf } from './resolver.ts'

/**
 * Loads modules into this process and keeps what they export. Nothing bounds the time that a module takes: its code is trusted as
 * much as the program's own.
 */
export class InProcessLoader implements ModuleLoader {
  /** What each loaded module exports as its default, by file. */
  readonly values: Map<string, unknown> = new Map()
  readonly #root: string
  readonly #loaded = new Set<string>()
  readonly #identities = new AgentIdentities()

  /** `onFile` hears of each file that is loaded, also later: see `followLoading`. Nobody follows them for nobody. */
  constructor(root: string, onFile?: (path: string) => void) {
    this.#root = root
    resolveImportsOf(pathToFileURL(`${root}/`).href)
    if (onFile === undefined) return
    followLoading(root, (path) => {
      this.#loaded.add(path)
      onFile(path)
    })
  }

  /** The files that were loaded, by their absolute paths, where somebody follows them. */
  loaded(): ReadonlySet<string> {
    return this.#loaded
  }

  async load(requests: readonly LoadRequest[]): Promise<readonly LoadResult[]> {
    const results: LoadResult[] = []
    for (const request of requests) {
      const { result, namespace } = await printToStderr(() => loadModule(this.#root, request, this.#identities))
      if (namespace !== undefined) this.values.set(request.file, exportOf(request, namespace))
      results.push(result)
    }
    return results
  }

  strays(): readonly { readonly file: string; readonly failure: LoadFailure }[] {
    return []
  }
}

function exportOf({ slot }: LoadRequest, namespace: Readonly<Record<string, unknown>>): unknown {
  return slot === 'index' ? applicationOf(namespace) : namespace['default']
}
