import type { EmbeddingModelV4 } from '@ai-sdk/provider'

/** An embedding model that knows some words: a text's vector counts them, so that texts that share a topic are near. */
export function wordEmbedder(
  topics: Readonly<Record<string, readonly string[]>>,
  options: { maxEmbeddingsPerCall?: number; before?: () => Promise<void> } = {},
): EmbeddingModelV4 & { readonly asked: string[][] } {
  const asked: string[][] = []
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'words',
    maxEmbeddingsPerCall: options.maxEmbeddingsPerCall,
    supportsParallelCalls: true,
    asked,
    async doEmbed({ values }) {
      asked.push(values)
      await options.before?.()
      return { embeddings: values.map((value) => vectorOf(value, Object.values(topics))), warnings: [] }
    },
  }
}

function vectorOf(text: string, topics: readonly (readonly string[])[]): number[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  // No text has a vector that is all zero.
  return [0.01, ...topics.map((topic) => words.filter((word) => topic.includes(word)).length)]
}
