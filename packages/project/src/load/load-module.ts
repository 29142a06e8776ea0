import { pathToFileURL } from 'node:url'
import { describeModule } from '../facts/describe-module.ts'
import { failureOf } from './failure.ts'
import type { LoadRequest, LoadResult } from './module-loader.ts'

/** A module's namespace beside what is told of it. The namespace is wrapped, so that a default that is a promise stays one. */
export interface LoadedModule {
  readonly result: LoadResult
  readonly namespace?: Readonly<Record<string, unknown>>
}

/** Imports one module and describes what it exports. It never rejects. */
export async function loadModule(root: string, request: LoadRequest): Promise<LoadedModule> {
  try {
    // A file: URL, always: the compiler's rewriting of relative specifiers must find nothing to rewrite.
    const { href } = pathToFileURL(`${root}/${request.file}`)
    const namespace = (await import(href)) as Readonly<Record<string, unknown>>
    return { result: { ok: true, fact: describeModule(request, namespace) }, namespace }
  } catch (error) {
    return { result: { ok: false, failure: failureOf(error, root) } }
  }
}
