// A reader asks about "exports"; the edition files them under Economy › Economy - overview, and some of its texts never
// use the word. This is the "see also" of a library's catalogue: which heading answers which words.

export interface Subject {
  /** How the ids of its passages end. */
  readonly heading: string
  readonly words: ReadonlySet<string>
}

const SUBJECTS: readonly Subject[] = [
  subject(
    'economy/economy-overview',
    `agriculture aid business cash commerce debt develop development dependence earn earning economic economy employment
    export gdp growth import income industry inflation investment job livelihood living manufacturing market money
    poverty product prosperity recession revenue sector tourism trade unemployment wage wealth work`,
  ),
  subject(
    'introduction/background',
    'background colony coup founded genocide historical history independence past revolution war',
  ),
  subject(
    'transnational-issues/disputes-international',
    'annexation border boundary claim claimed conflict contested dispute disputed frontier sovereignty territorial territory',
  ),
  subject('transnational-issues/illicit-drugs', 'cannabis cocaine drug heroin narcotic opium smuggling trafficking'),
  subject(
    'geography/environment-current-issues',
    'deforestation desertification ecological ecology environment environmental erosion pollution soil waste water',
  ),
  subject('government/flag-description', 'banner colour color emblem flag stripe'),
]

/** The subjects that a question's terms point to. */
export function subjectsOf(topic: readonly string[]): Subject[] {
  return SUBJECTS.filter(({ words }) => topic.some((term) => words.has(term)))
}

export function isUnder({ heading }: Subject, id: string): boolean {
  return id.endsWith(`/${heading}`)
}

function subject(heading: string, words: string): Subject {
  return { heading, words: new Set(words.split(/\s+/)) }
}
