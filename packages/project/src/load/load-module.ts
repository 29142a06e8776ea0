import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { AgentIdentities } from '../facts/agent-identities.ts'
import { describeModule } from '../facts/describe-module.ts'
import { failureOf } from './failure.ts'
import type { LoadRequest, LoadResult } from './module-loader.ts'

/** A module's namespace beside what is told of it. The namespace is wrapped, so that a default that is a promise stays one. */
export interface LoadedModule {
  readonly result: LoadResult
  readonly namespace?: Readonly<Record<string, unknown>>
}

/** Imports one module and describes what it exports. It never rejects. */
export async function loadModule(
  root: string,
  request: LoadRequest,
  identities: AgentIdentities,
): Promise<LoadedModule> {
  try {
    const namespace = await namespaceOf(`${root}/${request.file}`, request)
    return { result: { ok: true, fact: describeModule(request, namespace, identities) }, namespace }
  } catch (error) {
    return { result: { ok: false, failure: failureOf(error, root) } }
  }
}

async function namespaceOf(path: string, { slot }: LoadRequest): Promise<Readonly<Record<string, unknown>>> {
  if (slot === 'frontmatter') {
    const [{ parseFrontmatter }, { decodeText }] = await Promise.all([
      import('../discover/frontmatter.ts'),
      import('../tree/read-text.ts'),
    ])
    const read = decodeText(await readFile(path))
    return { default: read.ok ? parseFrontmatter(read.text).values : {} }
  }
  // A file: URL, always: the compiler's rewriting of relative specifiers must find nothing to rewrite.
  const { href } = pathToFileURL(path)
  return (await import(href)) as Readonly<Record<string, unknown>>
}
