import type { Found } from './extract.ts'

const CODES = new Set(
  `USD EUR GBP JPY CHF CAD AUD NZD CNY INR KRW BRL MXN ZAR SEK NOK DKK PLN CZK HUF RON BGN TRY RUB UAH ILS AED SAR QAR EGP NGN KES UGX
   TZS RWF BIF ETB GHS MAD SGD HKD TWD THB IDR MYR PHP VND PKR BDT LKR ARS CLP COP PEN ISK`
    .trim()
    .split(/\s+/),
)
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '(?:us[ -]|american )?dollars?|bucks|\\$': 'USD',
    'euros?|€': 'EUR',
    '(?:british )?pounds?(?: sterling)?|sterling|£': 'GBP',
    '(?:japanese )?yen|¥': 'JPY',
    '(?:swiss )?francs?': 'CHF',
    '(?:indian )?rupees?|₹': 'INR',
    'yuan|renminbi': 'CNY',
    '(?:mexican )?pesos?': 'MXN',
    'swedish kron(?:a|or)': 'SEK',
    'norwegian kron(?:e|er)': 'NOK',
    'danish kron(?:e|er)': 'DKK',
    zloty: 'PLN',
    'rubles?|roubles?': 'RUB',
  }),
)

/** Currencies by code, word or sign, as codes, in their order. */
function currenciesIn(source: string): Found[] {
  const text = source.slice(0, 8000)
  const found: Found[] = [...text.matchAll(/\b[A-Z]{3}\b/g)]
    .filter(([code]) => CODES.has(code))
    .map((match) => ({ text: match[0], at: match.index }))
  for (const [words, code] of WORDS)
    for (const match of text.matchAll(new RegExp(`(?<![\\p{L}])(?:${words})(?![\\p{L}])`, 'giu')))
      found.push({ text: code, at: match.index })
  return found.sort((a, b) => a.at - b.at)
}

const TARGET = /\b(?:to|in|into|as)\s+(?:the\s+)?$/i

/** The currency that an amount is in, or the one that it is to be in. */
export function currencyFor(role: 'from' | 'to' | 'any', text: string, used: ReadonlySet<number>): Found | undefined {
  const found = currenciesIn(text).filter(({ at }) => !used.has(at))
  const wanted = found.filter(({ at }) => TARGET.test(text.slice(0, at)))
  if (role === 'to') return wanted[0] ?? (currenciesIn(text).length > 1 ? found.at(-1) : undefined)
  if (role === 'from') return found.find((each) => !wanted.includes(each))
  return found[0]
}
