import type { Carried } from './carried.ts'
import type { Found } from './extract.ts'

/** What the arguments of one call may be filled from. */
export interface FillContext {
  /** The clauses that the call is for. */
  text: string
  /** The whole request, for values that are plain wherever they stand. */
  whole: string
  /** What earlier calls brought, where this call works on it. */
  content: string
  /** The text that the request holds to be worked on. */
  inline: string
  /** The one name that this call is about, where the request sets several side by side, and the others. */
  name: string
  others: readonly string[]
  /** Wants search words rather than sentences. */
  finder: boolean
  /** Where numbers and names already used stand. */
  used: Set<number>
  /** Numbers that earlier results brought, where the clause leans on them. */
  resultNumbers: readonly number[]
  /** It has no other required text. */
  single: boolean
  /** The tool works on a text, which must then be there. */
  transformer: boolean
  /** Words that the tool itself uses, as stems: at the head of a sentence they are no names. */
  known?: ReadonlySet<string>
  /** It has no other required argument of any kind. */
  alone?: boolean
  /** Values of earlier results, for what the request leaves to them. */
  carried?: readonly Carried[]
  /** The tool's name and description. */
  about?: string
  /** The names of its arguments: one begins where the value of another ends. */
  labels?: readonly string[]
  /** The names of the objects that the argument stands in. */
  path?: string
}

/** The first value that no other argument has taken yet. */
export function take(found: readonly Found[], context: FillContext): string | undefined {
  const next = found.find(({ at }) => !context.used.has(at))
  if (next === undefined) return undefined
  context.used.add(next.at)
  return next.text
}
