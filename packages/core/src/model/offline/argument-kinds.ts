import type { JsonRecord } from './json.ts'
import { nameWords } from './tokens.ts'

/** What an argument wants, told by its name, its format and what is said of it. */
export type Kind =
  | 'email'
  | 'url'
  | 'path'
  | 'date'
  | 'language'
  | 'expression'
  | 'query'
  | 'content'
  | 'task'
  | 'name'
  | 'id'
  | 'code'
  | 'quoted'

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['email', /\b(?:email|e mail|recipient|mailto)\b/],
  ['url', /\b(?:url|uri|link|href|website)\b/],
  ['path', /\b(?:path|file|filename|filepath|directory|dir|folder)\b/],
  ['date', /\b(?:date|day|when|deadline|since|until|datetime|start|end|due|month|year)\b/],
  ['language', /\b(?:language|lang|locale)\b/],
  ['expression', /\b(?:expression|formula|equation|calculation|math)\b/],
  ['code', /\b(?:symbol|ticker|currency)\b/],
  ['id', /\b(?:id|ids|identifier|number|code|sku|reference|key|token|account|uuid|isbn|zip|phone|password|hash)\b/],
  [
    'content',
    /\b(?:text|content|contents|body|message|comment|notes|note|material|document|draft|findings|input|source|sources|data|paragraph|sentence|phrase|html|markdown|string|words)\b/,
  ],
  [
    'name',
    /\b(?:city|location|country|place|region|address|origin|destination|from|to|state|town|name|person|company|customer|author|artist|user|who|where|entity|team|product|brand|airport|room|floor|building|zone|venue|employee)\b/,
  ],
  [
    'query',
    /\b(?:query|queries|q|search|keyword|keywords|term|terms|topic|subject|title|theme|about|word|label|category|tag)\b/,
  ],
  [
    'task',
    /\b(?:prompt|question|request|task|instruction|instructions|goal|description|command|ask|objective|brief|statement|details|summary|reason)\b/,
  ],
]

export function kindOf(name: string, schema: JsonRecord): Kind | undefined {
  const format = schema['format']
  if (format === 'email') return 'email'
  if (format === 'uri' || format === 'url') return 'url'
  if (format === 'date' || format === 'date-time') return 'date'
  if (format === 'uuid') return 'id'
  const byName = nameWords(name).join(' ')
  const about =
    typeof schema['description'] === 'string' ? nameWords(schema['description'].slice(0, 300)).join(' ') : ''
  if (/^(?:to|from|cc|sender|receiver)$/.test(byName) && /\be ?mail\b/.test(about)) return 'email'
  return KINDS.find(([, pattern]) => pattern.test(byName))?.[0] ?? KINDS.find(([, pattern]) => pattern.test(about))?.[0]
}
