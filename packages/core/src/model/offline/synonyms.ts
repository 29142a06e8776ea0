import { stem } from './tokens.ts'

/** Words of one concept match each other. A leading `=` takes the word as it is written, not its stem. */
const GROUPS: Readonly<Record<string, string>> = {
  search: `find search research researcher lookup investigate investigator gather explore browse fact factual =sources evidence
    web corpus encyclopedia knowledge factbook wikipedia literature bibliography findings`,
  write: `write =written writer draft compose author article brief report essay post blog memo newsletter prose rewrite summary summarize
    write-up pager letter story paper`,
  summarize: 'summarize summary condense digest tldr shorten abstract recap',
  compute: `calculate calculator compute computation sum add addition plus minus subtract multiply divide arithmetic math maths
    mathematics mathematical total average percent percentage equation`,
  translate: 'translate translation translator interpreter localize localization',
  review:
    'review reviewer check checker verify proofread critique critic validate audit inspect feedback editor edit assess polish correct',
  weather: 'weather forecast temperature rain snow wind windy sunny humidity umbrella storm meteorology',
  travel: 'travel trip itinerary flight hotel vacation holiday tour airline',
  book: 'book booking reserve reservation',
  schedule: 'schedule calendar meeting appointment remind reminder',
  send: 'send email mail notify notification sms slack',
  billing: 'billing bill invoice payment pay charge charged refund receipt subscription',
  access: 'login log password signin authentication authenticate signup lockout',
  fault: 'bug crash technical troubleshoot troubleshooting fix broken debug malfunction',
  code: 'code coding program programming programmer implement refactor compile typescript javascript python software developer',
  analysis: 'analyze analysis analyst analytics statistics statistical dataset',
  database: 'sql database query table',
  file: 'file folder directory workspace',
  shop: 'buy purchase order cart shop product price inventory catalog catalogue',
  currency: 'currency usd eur gbp dollar euro exchange forex',
  convert: 'convert converter conversion unit',
  legal: 'legal complies comply gdpr law lawyer contract compliance regulation attorney',
  health: 'medical health doctor symptom medicine diagnosis clinic',
  food: 'recipe cook cooking meal restaurant ingredient dish',
  image: 'image picture photo draw drawing illustrate illustration logo',
  news: 'news headline headlines happen happened event',
  stock: 'stock ticker shares equity',
  clock: 'timezone clock',
  map: 'map route direction directions distance navigate navigation',
  remove: 'delete remove erase',
  save: 'save store persist',
  hiring: 'hire hiring recruit recruiting recruiter candidate resume cv',
  marketing: 'marketing campaign advert advertisement promote promotion slogan',
  deploy: 'deploy deployment release',
  obstacle: `hold hinder hamper obstacle barrier constraint constrain challenge limitation lack problem shortage weak weakness
    difficulty impede bottleneck vulnerable poor poverty corruption conflict instability unreliable insufficient inadequate scarce
    underdeveloped landlocked drought handicap fragile`,
  earn: 'earn income earning earnings revenue proceeds profit exchange',
  trade: 'export import trade',
  chat: 'joke poem haiku song riddle limerick hello hi hey thanks thank bye',
}

const BY_WORD = new Map<string, string[]>()
const BY_STEM = new Map<string, string[]>()
for (const [concept, text] of Object.entries(GROUPS)) {
  for (const word of text.trim().split(/\s+/)) {
    const [map, key] = word.startsWith('=') ? [BY_WORD, word.slice(1)] : [BY_STEM, stem(word)]
    const known = map.get(key) ?? []
    if (!known.includes(concept)) map.set(key, [...known, concept])
  }
}

export function conceptsOf(word: string): readonly string[] {
  return BY_WORD.get(word) ?? BY_STEM.get(stem(word)) ?? []
}

/** Verbs that may open a new clause after "and". */
const VERBS: ReadonlySet<string> = new Set(
  `find search research look investigate gather explore browse collect fetch retrieve write draft compose summarize summarise rewrite
   prepare produce calculate compute sum add subtract multiply divide translate review check verify proofread critique validate audit edit
   book reserve schedule remind send email mail notify pay refund analyze analyse convert buy purchase order draw illustrate delete remove
   save store read list open tell show give explain describe compare contrast create make turn plan suggest recommend report identify
   count sort format publish post deploy fix debug implement refactor test run play sing cook paint design upload download cancel update
   call ask have get let say outline polish`.split(/\s+/),
)

export function isVerb(word: string): boolean {
  return VERBS.has(word)
}
