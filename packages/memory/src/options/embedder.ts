import type { EmbeddingModelV2, EmbeddingModelV3, EmbeddingModelV4 } from '@ai-sdk/provider'

/** An embedding model object of the AI SDK, of specification v2, v3 or v4. */
export type Embedder = EmbeddingModelV4 | EmbeddingModelV3 | EmbeddingModelV2<string>
