import { readFile } from 'node:fs/promises'

export interface Passage {
  /** Country code and headings, for example `rw/economy/economy-overview`. */
  readonly id: string
  readonly title: string
  readonly section: string
  readonly field: string
  readonly text: string
}

export interface Country {
  readonly code: string
  readonly title: string
  readonly region: string
  /** Other names, long forms and abbreviations. */
  readonly aliases: readonly string[]
  readonly adjectives: readonly string[]
}

export interface Corpus {
  readonly passages: readonly Passage[]
  readonly countries: ReadonlyMap<string, Country>
}

// Beside this example's package.json, wherever the process was started.
const FOLDER = new URL('../../../corpus/', import.meta.url)

export async function loadCorpus(folder: URL = FOLDER): Promise<Corpus> {
  const [passages, countries] = await Promise.all([
    lines<Passage>(new URL('factbook.jsonl', folder)),
    lines<Country>(new URL('countries.jsonl', folder)),
  ])
  return { passages, countries: new Map(countries.map((country) => [country.code, country])) }
}

/** The code of the country that a passage is about. */
export function codeOf(id: string): string {
  return id.slice(0, id.indexOf('/'))
}

async function lines<Row>(file: URL): Promise<Row[]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new Error(`The search corpus cannot be read: ${file.pathname}. It belongs to this example's files.`, {
      cause,
    })
  }
  const rows: Row[] = []
  for (const line of text.split('\n')) {
    // The files are made by scripts/make-corpus.mjs and checked by the tests beside this module.
    if (line !== '') rows.push(JSON.parse(line) as Row)
  }
  return rows
}
