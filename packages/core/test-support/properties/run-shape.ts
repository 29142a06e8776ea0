import { isDeepStrictEqual } from 'node:util'
import type { RunStream } from '../../src/agent/run-stream.ts'
import type { Chunk } from '../../src/events/chunk.ts'
import { assert } from '../property.ts'

/** Each run of the tree begins with its one `start` and ends with its one `finish`, the root's around all, on the path of its call. */
export function assertOneStartAndFinish(chunks: readonly Chunk[], root: string): void {
  const runs = Map.groupBy(chunks, ({ runId }) => runId)
  for (const [runId, own] of runs) {
    const ends = own.filter(({ type }) => type === 'start' || type === 'finish')
    const shape = [own[0]?.type, own.at(-1)?.type, ends.length]
    assert(isDeepStrictEqual(shape, ['start', 'finish', 2]), () => `the run ${runId} is ${JSON.stringify(shape)}`)
    const paths = new Set(own.map(({ path }) => path.join('/')))
    assert(paths.size === 1, () => `the run ${runId} has the paths ${[...paths]}`)
  }
  const outer = [chunks[0], chunks.at(-1)].map((chunk) => `${chunk?.type} ${chunk?.path.join('/')}`)
  assert(isDeepStrictEqual(outer, [`start ${root}`, `finish ${root}`]), () => `the log is ${outer}`)
  for (const chunk of chunks) {
    if (chunk.type !== 'delegation-start') continue
    const child = runs.get(chunk.payload.runId)?.[0]
    const path = [...chunk.path, chunk.payload.key]
    // A delegation that could not begin has no run.
    assert(!child || isDeepStrictEqual(child.path, path), () => `${path.join('/')} is told as ${child?.path.join('/')}`)
  }
}

/** `fullStream` is `events`, each chunk wrapped once for each level, by the call of its parent's that it answers. */
export async function assertNestedForm(stream: RunStream, flat: readonly Chunk[]): Promise<void> {
  const scopes = new Map<string, { toolCallId: string; parent: string }>()
  for (const chunk of flat) {
    if (chunk.type !== 'delegation-start') continue
    scopes.set(chunk.payload.runId, { toolCallId: chunk.payload.toolCallId, parent: chunk.runId })
  }
  let index = 0
  for await (const chunk of stream.fullStream) {
    const expected = flat[index++] as Chunk
    const calls: string[] = []
    let run = expected.runId
    for (let scope = scopes.get(run); scope; scope = scopes.get(run)) {
      calls.unshift(scope.toolCallId)
      run = scope.parent
    }
    let inner = chunk
    for (const [level, call] of calls.entries()) {
      assert(inner.type === 'tool-output', () => `chunk ${index} is wrapped ${level} times, not ${calls.length}`)
      assert(inner.payload.toolCallId === call, () => `chunk ${index} answers ${inner.type}, not the call ${call}`)
      const path = expected.path.slice(0, level + 2)
      assert(isDeepStrictEqual(inner.path, path), () => `chunk ${index} is wrapped as ${inner.path}`)
      inner = inner.payload.output as Chunk
    }
    assert(isDeepStrictEqual(inner, expected), () => `chunk ${index} of fullStream is not that of events`)
  }
  assert(index === flat.length, () => `fullStream has ${index} chunks, events ${flat.length}`)
}
