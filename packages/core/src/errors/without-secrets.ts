/** What providers' keys look like, which turn up in the messages of failed calls, and what is left of each. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|gsk|xai|key|or)[-_][A-Za-z0-9_*-]{6,}/g, '…'],
  [/\bAIza[A-Za-z0-9_-]{10,}/g, '…'],
  // A key of no known form, where a provider repeats it: "Incorrect API key provided: …".
  [/\b(api[-_ ]?key(?:\s+\w+){1,3}\s*[:=]\s*["']?)[A-Za-z0-9][\w.*-]{10,}\w/gi, '$1…'],
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, '$1 …'],
  [
    /\b(api[-_ ]?key|token|authorization|secret|password)(["']?\s*[:=]\s*["']?)(?!(?:Bearer|Basic)\b)[^\s"',;&]+/gi,
    '$1$2…',
  ],
  // What a URL carries beside its place: a user with a password, keys in its query.
  [/(\w+:\/\/)[^\s/@]+@/g, '$1…@'],
  [/([?&][^\s=&#]*(?:key|token|secret|password|sig|auth)[^\s=&#]*=)[^\s&#]+/gi, '$1…'],
]

/** A text without what looks like a key, and without those that are known: errors are shown, stored and told to models. */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  let clean = text
  for (const secret of known) clean = clean.replaceAll(secret, '…')
  for (const [pattern, rest] of SECRETS) clean = clean.replace(pattern, rest)
  return clean
}
