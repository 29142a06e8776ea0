import { unknownNameFix } from '../names.ts'
import { CRON_FIX } from './cron-fields.ts'
import { type Croner, cronProblem, isTimeZone } from './cron-problem.ts'
import type { ScheduleProblem } from './facts.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields of a schedule that may stand in a frontmatter; its prompt is the text below. */
const TEXT_FIELDS = ['cron', 'timeZone', 'description', 'allowOverlap', 'catchUp'] as const

/** What of a schedule's fields can't be what it is. */
export function scheduleProblems(fields: Fields, croner: Croner): readonly ScheduleProblem[] {
  return [...timeProblems(fields, croner), ...workProblems(fields), ...strays(fields, 'code')]
}

/** The same for what a Markdown file says: its frontmatter, and the text below it. */
export function scheduleTextProblems(head: Fields, prompt: string, croner: Croner): readonly ScheduleProblem[] {
  const blank = { message: 'has no prompt', fix: 'write below the frontmatter what the agent shall do' }
  return [
    ...timeProblems(head, croner),
    ...(prompt.trim() === '' ? [{ field: 'prompt', ...blank }] : []),
    ...strays(head, 'text'),
  ]
}

function* timeProblems({ cron, timeZone, ...rest }: Fields, croner: Croner): Iterable<ScheduleProblem> {
  if (cron === undefined) yield { field: 'cron', message: 'says not when: it has no cron', fix: CRON_FIX }
  else if (typeof cron !== 'string') yield wrong('cron', cron, CRON_FIX)
  else {
    const problem = cronProblem(cron, croner)
    if (problem !== undefined) yield { ...problem, field: 'cron', message: `has a cron that ${problem.message}` }
  }
  const zoneFix = "write an IANA name, such as timeZone: 'Europe/Paris', or leave it out for UTC"
  if (timeZone !== undefined && typeof timeZone !== 'string') yield wrong('timeZone', timeZone, zoneFix)
  else if (timeZone !== undefined && !isTimeZone(timeZone))
    yield { field: 'timeZone', message: `has a time zone that is not known: "${timeZone}"`, fix: zoneFix }
  for (const field of ['allowOverlap', 'catchUp']) {
    const value = rest[field]
    if (value !== undefined && typeof value !== 'boolean')
      yield wrong(field, value, `write ${field}: true, or leave it out`)
  }
  const { description } = rest
  if (description !== undefined && typeof description !== 'string')
    yield wrong('description', description, 'write text, or leave it out')
}

function* workProblems({ prompt, handler }: Fields): Iterable<ScheduleProblem> {
  const fix = "write prompt: '…', or handler: async ({ run }) => { … }"
  if (prompt === undefined && handler === undefined)
    yield { field: 'prompt', message: 'says not what: it has neither a prompt nor a handler', fix }
  if (prompt !== undefined && handler !== undefined)
    yield { field: 'handler', message: 'has a prompt and a handler', fix: 'keep one of the two' }
  if (prompt !== undefined && typeof prompt !== 'string') yield wrong('prompt', prompt, fix)
  else if (prompt !== undefined && prompt.trim() === '')
    yield { field: 'prompt', message: 'has a prompt with nothing in it', fix }
  if (handler !== undefined && typeof handler !== 'function') yield wrong('handler', handler, fix)
}

function* strays(fields: Fields, form: 'code' | 'text'): Iterable<ScheduleProblem> {
  const known: readonly string[] = form === 'code' ? [...TEXT_FIELDS, 'prompt', 'handler'] : TEXT_FIELDS
  for (const field of Object.keys(fields)) {
    if (known.includes(field)) continue
    const fix = form === 'text' && field === 'prompt' ? 'write it below the frontmatter' : unknownNameFix(field, known)
    yield { field, message: `has a field "${field}", which means nothing here`, fix }
  }
}

function wrong(field: string, value: unknown, fix: string): ScheduleProblem {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
  return {
    field,
    message: `has ${kind === 'null' ? kind : /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`} as its ${field}`,
    fix,
  }
}
