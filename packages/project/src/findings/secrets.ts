/** Keys and passwords by the forms that their makers gave them, so that nothing else looks like one. */
const FORMS: readonly (readonly [what: string, form: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g],
  ['an API key', /\bsk-(?:(?:ant|proj|svcacct|admin|or)-[\w-]{20,}|[A-Za-z0-9]{20,})/g],
  ['an API key', /\b(?:gsk_|xai-|hf_|r8_|pplx-)[A-Za-z0-9]{20,}/g],
  ['an API key', /\bAIza[\w-]{35}/g],
  ['an API key', /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g],
  ['an access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['an access token', /\b(?:gh[opusr]_[A-Za-z0-9]{36,}|github_pat_\w{22,}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{36})/g],
  ['an access token', /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g],
  ['an access token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  ['an access token', /(?<=\bBearer )[\w.~+/-]{20,}/g],
  ['a password', /(?<=\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]{4,}(?=@[\w.-])/g],
]

/** Something that one of the forms begins with or holds: most texts have nothing of it. */
const SIGN =
  /-----BEGIN|sk-|gsk_|xai-|hf_|r8_|pplx-|AIza|[rs]k_|AKIA|ASIA|gh[opusr]_|github_pat_|glpat-|npm_|xox|eyJ|Bearer|:\/\//

/** What stands in examples where a person puts the true value. */
const PLACEHOLDER = /example|your|secret|password|passwd|\bpass\b|[<>{}$*…]|\.\.\.|(.)\1{5}/i

/** What looks like a secret in a text: what it is, and where. */
export interface FoundSecret {
  readonly what: string
  readonly start: number
  readonly end: number
}

/** The secrets in a text, none inside another. */
export function findSecrets(text: string): FoundSecret[] {
  const found: FoundSecret[] = []
  if (!SIGN.test(text)) return found
  for (const [what, form] of FORMS) {
    for (const match of text.matchAll(form)) {
      const [secret] = match
      if (what !== 'a private key' && (PLACEHOLDER.test(secret) || !/\d/.test(secret))) continue
      const [start, end] = [match.index, match.index + secret.length]
      if (!found.some((other) => start < other.end && other.start < end)) found.push({ what, start, end })
    }
  }
  return found.sort((a, b) => a.start - b.start)
}

/** The same text, as long as before, with its secrets made unreadable: a line of source is shown wherever findings are. */
export function maskSecrets(text: string): string {
  let masked = text
  for (const { start, end } of findSecrets(text)) {
    masked = masked.slice(0, start) + '•'.repeat(end - start) + masked.slice(end)
  }
  return masked
}
