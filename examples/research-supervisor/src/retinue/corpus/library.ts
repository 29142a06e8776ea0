import MiniSearch from 'minisearch'
import { type Corpus, codeOf, loadCorpus, type Passage } from './load.ts'
import { Gazetteer } from './names.ts'
import { terms } from './terms.ts'

/** The corpus, ready to be searched. */
export interface Library {
  readonly corpus: Corpus
  readonly passages: ReadonlyMap<string, Passage>
  readonly gazetteer: Gazetteer
  readonly index: MiniSearch<Passage>
}

let library: Promise<Library> | undefined

/** Opened by the first search and kept for the life of the process. */
export function openLibrary(): Promise<Library> {
  library ??= open().catch((error: unknown) => {
    library = undefined // the next search tries again
    throw error
  })
  return library
}

async function open(): Promise<Library> {
  const corpus = await loadCorpus()
  const index = new MiniSearch<Passage>({
    fields: ['title', 'region', 'section', 'field', 'text'],
    tokenize: terms,
    processTerm: (term) => term,
    extractField: (passage, name) =>
      name === 'region' ? (corpus.countries.get(codeOf(passage.id))?.region ?? '') : passage[name as keyof Passage],
  })
  // In chunks, so that a process which serves others goes on meanwhile.
  await index.addAllAsync(corpus.passages, { chunkSize: 500 })
  return {
    corpus,
    passages: new Map(corpus.passages.map((passage) => [passage.id, passage])),
    gazetteer: new Gazetteer(corpus.countries.values()),
    index,
  }
}
