/** What a directory of an agent and a file of a tool may be called: the names that every provider takes for a tool. */
const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/

/** Why a name can't be used, or `undefined` if it can. */
export function nameProblem(name: string): string | undefined {
  // It fits the pattern, yet as a key of an object it would change the object's prototype instead of naming an entry.
  if (name === '__proto__') return '"__proto__" is reserved by JavaScript'
  if (NAME_PATTERN.test(name)) return undefined
  if (name.length > 64) return `it has ${name.length} characters and may have 64`
  const wrong = [...name].find((character) => !/[A-Za-z0-9_-]/.test(character))
  return wrong === undefined ? 'it is empty' : `${JSON.stringify(wrong)} is not a letter, a digit, "_" or "-"`
}

/** The nearest legal name, for a fix that can be pasted. */
export function legalName(name: string): string {
  const ascii = name.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
  const legal = ascii.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '')
  return name === '__proto__' || legal === '' ? 'my-name' : legal.slice(0, 64)
}

/** The nearest name of a skill. */
export function legalSkillName(name: string): string {
  const words = legalName(name)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const legal = words.filter((word) => word !== '').join('-')
  return legal === '' || legal === 'my-name' ? 'my-skill' : legal
}

/** The known name that a person most likely meant, if one is near: equal but for case, or two letters away at most. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase()
  let best: string | undefined
  let bestDistance = 3
  for (const candidate of known) {
    if (candidate === name) continue
    const distance = editDistance(lower, candidate.toLowerCase(), bestDistance)
    // Short names are near to everything: a third of the letters at most may differ.
    if (distance < bestDistance && distance * 3 <= Math.max(name.length, candidate.length)) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** What to do about a name that means nothing: the known one that was meant, if one is near, and all of them. */
export function unknownNameFix(name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known)
  return `${meant === undefined ? '' : `did you mean "${meant}"? `}known are ${known.join(', ')}`
}

/** Levenshtein's distance; what reaches `limit` counts as `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, at(previous, j) + 1, at(row, j - 1) + 1))
    }
    previous = row
  }
  return Math.min(limit, at(previous, b.length))
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
