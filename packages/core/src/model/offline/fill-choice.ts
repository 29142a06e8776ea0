import { currencyFor } from './currencies.ts'
import { datesIn, MONTHS } from './extract.ts'
import type { JsonRecord } from './json.ts'
import { languageIn } from './signals.ts'
import { STOP_WORDS } from './stop-words.ts'
import { conceptsOf } from './synonyms.ts'
import { nameWords, stem, words } from './tokens.ts'

/** A choice that the request names; else the default; none is guessed. */
export function fillEnum(
  name: string,
  choices: readonly unknown[],
  schema: JsonRecord,
  required: boolean,
  text: string,
): unknown {
  const language = languageIn(text, /source|from/i.test(name) ? 'from' : 'to')
  const spoken =
    language &&
    choices.find(
      (choice) =>
        typeof choice === 'string' && [language.code, language.name.toLowerCase()].includes(choice.toLowerCase()),
    )
  if (spoken !== undefined) return spoken
  if (choices.some((choice) => typeof choice === 'string' && /^[A-Z]{3}$/.test(choice))) {
    const role = /^(?:to|target|quote)|(?:To|_to)$/.test(name)
      ? 'to'
      : /^(?:from|source|base)/.test(name)
        ? 'from'
        : 'any'
    const currency = currencyFor(role, text, new Set())?.text
    if (currency !== undefined && choices.includes(currency)) return currency
  }
  const said = choices.filter((choice) => saysChoice(text, choice))
  const literal = said.length > 1 ? placedChoice(name, said, text) : said[0]
  if (literal !== undefined) return literal
  const counted = countedChoice(choices, text)
  if (counted !== undefined) return counted
  if (!required) return undefined
  const asked = new Set(words(text).flatMap((word) => CHOICE_WORDS.get(word) ?? conceptsOf(word)))
  const alike = choices.find((choice) =>
    words(String(choice)).some((word) => (CHOICE_WORDS.get(word) ?? []).some((kind) => asked.has(kind))),
  )
  return alike ?? schema['default'] ?? (choices.length === 1 ? choices[0] : undefined)
}

/** Of several that are named, the one beside the argument's name; of two units, "to" takes the one after "to". */
function placedChoice(name: string, said: readonly unknown[], text: string): unknown {
  const literal = (choice: unknown): string => String(choice).replace(/[^\p{L}\p{N}]/gu, '.')
  const after = (choice: unknown): boolean => new RegExp(`\\b(?:to|into)\\s+${literal(choice)}`, 'iu').test(text)
  if (/^(?:to|target)|(?:To|_to|Target)$/.test(name)) return said.find(after) ?? said[0]
  if (/^(?:from|source)|(?:From|_from|Source)$/.test(name)) return said.find((choice) => !after(choice)) ?? said[0]
  const label =
    nameWords(name)
      .at(-1)
      ?.replace(/[^\p{L}\p{N}]/gu, '') ?? ''
  const beside = (choice: unknown): boolean =>
    label !== '' &&
    new RegExp(
      `\\b${label}\\W{1,3}(?:(?:is|of|to)\\s+)?${literal(choice)}\\b|\\b${literal(choice)}\\s+${label}\\b`,
      'iu',
    ).test(text)
  return said.find(beside) ?? said[0]
}

const CHOICE_WORDS: ReadonlyMap<string, string[]> = new Map(
  Object.entries({
    plus: 'add plus sum addition total together',
    minus: 'subtract minus subtraction less',
    times: 'multiply times multiplication product multiplied',
    over: 'divide divided division over',
    warm: 'celsius metric c',
    cold: 'fahrenheit imperial f',
    first: 'high urgent critical asap important',
    last: 'low minor trivial',
    up: 'asc ascending',
    down: 'desc descending',
  }).flatMap(([kind, list]) => list.split(' ').map((word): [string, string[]] => [word, [kind]])),
)

export function saysChoice(text: string, choice: unknown): boolean {
  if (typeof choice === 'number') return words(text).includes(String(choice))
  if (typeof choice !== 'string' || choice === '') return false
  const wanted = words(choice.replace(/[_-]/g, ' ')).map(stem)
  if (wanted.length === 0) return text.includes(choice)
  const said = words(text.replace(/[_-]/g, ' ')).map(stem)
  return said.some((_, at) => wanted.every((word, offset) => said[at + offset] === word))
}

const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ')
const DAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')

/** "The third quarter", "in August", "on Tuesday": choices that are called by a number, a month or a day. */
function countedChoice(choices: readonly unknown[], text: string): unknown {
  const said = words(text.slice(0, 4000))
  const named = choices.filter(
    (choice) =>
      typeof choice === 'string' &&
      /^[a-z]{3,9}$/i.test(choice) &&
      [...MONTHS, ...DAYS].some((full) => full.startsWith(choice.toLowerCase()) && said.includes(full)),
  )
  const [only] = named
  if (only !== undefined && named.length === 1) return only
  const month = monthIn(text, said)
  for (const choice of choices) {
    const [, lead = '', digits = ''] = /^\s*([a-z]*)[\s_-]?0?(\d{1,2})$/i.exec(String(choice)) ?? []
    const full = lead.toLowerCase()
    if (digits === '' || full === '') continue
    const names = (word: string): boolean => word.length > 2 && word.startsWith(full) && !STOP_WORDS.has(word)
    const counts = (word: string): boolean =>
      word === ORDINALS[Number(digits) - 1] || new RegExp(`^${digits}(?:st|nd|rd|th)?$`).test(word)
    const spoken = said.some((word, at) => names(word) && (counts(said[at - 1] ?? '') || counts(said[at + 1] ?? '')))
    const quarter = /^q(?:uarter)?$/.test(full) && month > 0 && Math.ceil(month / 3) === Number(digits)
    if (spoken || quarter) return choice
  }
  const [short, long] = [MONTHS[month - 1]?.slice(0, 3), MONTHS[month - 1]]
  return month > 0 ? choices.find((choice) => [short, long].includes(String(choice).toLowerCase())) : undefined
}

function monthIn(text: string, said: readonly string[]): number {
  const dated = Number(datesIn(text)[0]?.text.slice(5, 7) ?? 0)
  return dated > 0 ? dated : MONTHS.findIndex((month) => month !== 'may' && said.includes(month)) + 1
}

const AGREES =
  /\b(?:confirm(?:ed|ation)?|consent|agreed?|accept(?:ed)?|acknowledged?|approved?|sure|certain|verified)\b/
const EMPTY = new Set(
  'is has should with include including enable enabled allow send add use set do want wants'.split(' '),
)

/** A switch that the request speaks of is on. Consent is never taken for granted, in neither direction. */
export function fillBoolean(name: string, schema: JsonRecord, required: boolean, text: string): boolean | undefined {
  const own = nameWords(name)
  const consents = AGREES.test(own.join(' '))
  const said = new Set(words(text).map(stem))
  const plain = new RegExp(`\\b${own.join('[\\s_-]?')}\\s*[:=]\\s*(true|false|yes|no)\\b`, 'i')
    .exec(text)?.[1]
    ?.toLowerCase()
  if (plain !== undefined) return plain === 'true' || plain === 'yes'
  const telling = own.filter((word) => !EMPTY.has(word) && !STOP_WORDS.has(word))
  if (telling.length > 0 && telling.every((word) => said.has(stem(word)))) return true
  if (
    consents &&
    /\b(?:i(?:['’]m| am)\s+(?:sure|certain)|i\s+(?:confirm|agree|approve|consent)|confirmed)\b/i.test(text)
  )
    return true
  return required && !consents && schema['default'] === undefined ? false : undefined
}
