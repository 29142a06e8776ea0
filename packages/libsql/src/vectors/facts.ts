import type { VectorMetadata } from '@retinue/core/storage'

/**
 * Metadata as text, a fact a line: `\n"name":value\n`. JSON holds no line break, so a fact is in the text exactly if its line is, and
 * a filter needs no JSON of the database, which takes `true` for 1.
 */
export function factsText(metadata: VectorMetadata): string {
  return `\n${factLines(metadata).join('\n')}\n`
}

/** Each fact as its line in `factsText`, with the breaks around it. */
export function factPatterns(filter: VectorMetadata): string[] {
  return factLines(filter).map((line) => `\n${line}\n`)
}

export function metadataOf(facts: string): VectorMetadata {
  return JSON.parse(`{${facts.trim().replaceAll('\n', ',')}}`) as VectorMetadata
}

function factLines(metadata: VectorMetadata): string[] {
  return Object.entries(metadata).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
}
