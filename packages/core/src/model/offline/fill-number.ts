import { numbersIn } from './extract.ts'
import type { FillContext } from './fill-context.ts'
import type { JsonRecord } from './json.ts'
import { nameWords, stem, words } from './tokens.ts'

const COUNTS = new Set('limit max maximum count top n size number amount num quantity results'.split(' '))

const PERSONS: ReadonlySet<string> = new Set(
  'people person guest passenger adult traveler traveller visitor seat diner participant serving servings portion attendee'
    .split(' ')
    .map(stem),
)
const LEANS_FIRST = /^[^\d]*\b(?:it|that|this|the (?:result|sum|total|answer))\b/i

/** Names that say nothing but that it is a number to reckon with. */
const OPERAND = /^(?:[a-z]\d?|num\w*|value\d?|amount|left|first|base|augend|minuend|dividend|operand\w*|input)$/i

/** A number of the request: one that stands beside the argument's name if there is one, else, if it must be filled, the next unused. */
export function fillNumber(
  name: string,
  schema: JsonRecord,
  required: boolean,
  context: FillContext,
): number | undefined {
  const [carried, ...others] = context.resultNumbers
  // "Multiply it by 2": the result stands first, as it does in the sentence.
  if (
    required &&
    carried !== undefined &&
    others.length === 0 &&
    !context.used.has(-1) &&
    LEANS_FIRST.test(context.text) &&
    OPERAND.test(name) &&
    allowed(carried, schema)
  ) {
    context.used.add(-1)
    return carried
  }
  const fits = numbersIn(context.text).filter(({ value, at }) => allowed(value, schema) && !context.used.has(at))
  const own = nameWords(name).map(stem)
  const names = new Set(own.some((word) => PERSONS.has(word)) ? PERSONS : own)
  const counting = nameWords(name).some((word) => COUNTS.has(word))
  const beside = fits.find(({ before, after }) => {
    const around = [...words(before), ...words(after).slice(0, 1)]
    if (around.some((word) => names.has(stem(word)))) return true
    return (
      counting &&
      (/\b(?:top|first|last|only|at most|up to)$/.test(before) ||
        /^(?:results?|hits?|matches|items?|sources?|facts?)\b/.test(after))
    )
  })
  const chosen = beside ?? (required ? fits[0] : undefined)
  if (chosen) {
    context.used.add(chosen.at)
    return chosen.value
  }
  if (
    !required ||
    carried === undefined ||
    !OPERAND.test(name) ||
    others.length > 0 ||
    context.used.has(-1) ||
    !allowed(carried, schema)
  )
    return undefined
  context.used.add(-1)
  return carried
}

function allowed(value: number, schema: JsonRecord): boolean {
  if (schema['type'] === 'integer' && !Number.isInteger(value)) return false
  const above = (key: string, limit: (bound: number) => boolean): boolean =>
    typeof schema[key] !== 'number' || limit(schema[key])
  return (
    above('minimum', (bound) => value >= bound) &&
    above('maximum', (bound) => value <= bound) &&
    above('exclusiveMinimum', (bound) => value > bound) &&
    above('exclusiveMaximum', (bound) => value < bound) &&
    above('multipleOf', (step) => step <= 0 || Math.abs(value / step - Math.round(value / step)) < 1e-9)
  )
}
