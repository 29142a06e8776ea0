const SPOKEN: readonly (readonly [RegExp, string])[] = [
  [/(\d[\d.]*)\s*(?:%|percent)\s+of\s+(\d[\d.]*)/gi, '($1 / 100) * $2'],
  [/\b(?:multiplied by|times)\b/gi, '*'],
  [/\bdivided by\b/gi, '/'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/×/g, '*'],
  [/÷/g, '/'],
  [/(\d)\s*[xX]\s*(?=\d)/g, '$1 * '],
]
const ASKED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:add|sum|total)\b/i, ' + '],
  [/\bmultiply\b/i, ' * '],
]

/** The arithmetic that a text spells out; undefined where there is none. */
export function expressionIn(text: string): string | undefined {
  let plain = text.slice(0, 4000).replace(/(\d),(?=\d{3}\b)/g, '$1')
  for (const [pattern, symbol] of SPOKEN) plain = plain.replace(pattern, symbol)
  const runs = plain.match(/[(\d.-][\d\s.+\-*/^%()]*[\d)]/g) ?? []
  const best = runs.filter((run) => /\d\s*[+\-*/^%]/.test(run) && balanced(run)).sort((a, b) => b.length - a.length)[0]
  if (best !== undefined) return best.trim()
  const operator = ASKED.find(([pattern]) => pattern.test(plain))?.[1]
  const numbers = plain.match(/\d+(?:\.\d+)?/g) ?? []
  if (operator !== undefined && numbers.length > 1) return numbers.join(operator)
  const root = /square root of (\d+(?:\.\d+)?)/i.exec(plain)?.[1]
  return root === undefined ? undefined : `sqrt(${root})`
}

function balanced(run: string): boolean {
  let open = 0
  for (const letter of run) {
    if (letter === '(') open++
    else if (letter === ')' && --open < 0) return false
  }
  return open === 0
}
