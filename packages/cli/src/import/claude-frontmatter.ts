import { parse, YAMLParseError } from 'yaml'

/** What stands in a frontmatter, by its names. */
export type Fields = Readonly<Record<string, unknown>>

export type ReadHead =
  | { readonly ok: true; readonly fields: Fields }
  /** `line`: of the frontmatter, from 1. */
  | { readonly ok: false; readonly line: number; readonly reason: string }

/** Reads the frontmatter of an agent of `.claude/agents`, which people write, and not YAML alone. */
export function readHead(head: string): ReadHead {
  const strict = parsed(head)
  const read = strict.ok ? strict : parsed(head.split('\n').map(quoted).join('\n'))
  if (!read.ok) return read
  const value = read.value ?? {}
  if (typeof value === 'object' && !Array.isArray(value)) return { ok: true, fields: value as Fields }
  return {
    ok: false,
    line: 1,
    reason: `it is ${Array.isArray(value) ? 'a list' : 'a text'}, and not names with values`,
  }
}

/** Descriptions with a colon in them are common, and no YAML: what stands in such a line is meant as it stands. */
function quoted(line: string): string {
  const [, name, value] = /^([\w-]+):[ \t]+(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined || parsed(line).ok ? line : `${name}: ${JSON.stringify(value)}`
}

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly reason: string }

function parsed(text: string): Parsed {
  try {
    return { ok: true, value: parse(text) }
  } catch (error) {
    const line = (error instanceof YAMLParseError ? error.linePos?.[0].line : undefined) ?? 1
    // What follows is the place, and the text that stands there.
    const reason =
      error instanceof Error ? error.message.replace(/(?: at line \d+, column \d+)?:?\n[\s\S]*$/, '') : String(error)
    return { ok: false, line, reason }
  }
}
