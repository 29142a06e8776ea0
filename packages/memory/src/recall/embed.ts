import type { Embedder } from '../options/embedder.ts'
import { isRecord } from '../options/is-record.ts'

/** So much of a text is embedded, in UTF-16 code units: models take no more than some thousand tokens. */
const EMBEDDED_LENGTH = 8000

/** The vectors of texts, in their order, in as few calls as the model takes. Rejects if it gives something else. */
export async function embed(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const atOnce = Math.max(1, (await embedder.maxEmbeddingsPerCall) ?? Number.POSITIVE_INFINITY)
  const vectors: (readonly number[])[] = []
  for (let from = 0; from < texts.length; from += atOnce) {
    signal.throwIfAborted()
    const values = texts.slice(from, from + atOnce).map((text) => text.slice(0, EMBEDDED_LENGTH).toWellFormed())
    const result: unknown = await embedder.doEmbed({ values, abortSignal: signal })
    const made = isRecord(result) ? result['embeddings'] : undefined
    if (!Array.isArray(made) || made.length !== values.length)
      throw new TypeError(
        `the embedding model gave ${Array.isArray(made) ? made.length : 'no'} vectors for ${values.length} texts`,
      )
    vectors.push(...(made as number[][]))
  }
  return vectors
}
