import { RetinueError } from '@retinue/core/errors'

/** JSON by its type, as `application/json` or `application/vnd.x+json`. A form of a foreign page has none of these. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i

/** How deep a body may be nested: deeper ones overflow the stack of whoever walks them. */
const MAX_DEPTH = 200

/**
 * The JSON of a body; undefined where there is none. Throws `content-type-refused`, `body-too-large` (as soon as it is known) or
 * `body-invalid`.
 */
export async function readBody(request: Request, limit: number): Promise<unknown> {
  const type = request.headers.get('content-type')
  if (type !== null && !JSON_TYPE.test(type.split(';')[0]?.trim() ?? '')) throw typeRefused()
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
  const text = await textOf(request, limit)
  if (text.trim() === '') return undefined
  if (type === null) throw typeRefused()
  const value = parsed(text)
  assertShallow(value, 0)
  return value
}

async function textOf(request: Request, limit: number): Promise<string> {
  if (!request.body) return ''
  const reader = request.body.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  let text = ''
  try {
    for (let item = await reader.read(); !item.done; item = await reader.read()) {
      const bytes: Uint8Array = item.value
      size += bytes.byteLength
      if (size > limit) throw tooLarge(limit)
      text += decoder.decode(bytes, { stream: true })
    }
    return text + decoder.decode()
  } catch (thrown) {
    reader.cancel().catch(() => {})
    if (thrown instanceof TypeError) throw invalid('it is no UTF-8')
    throw thrown
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, withoutPrototype)
  } catch {
    // What the parser says repeats a piece of the body.
    throw invalid('it is no JSON')
  }
}

/** `__proto__` in JSON is a name like others, and would be a trap for whoever copies the object. */
function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}

function assertShallow(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw invalid(`it is nested more than ${MAX_DEPTH} levels deep`)
  for (const each of Object.values(value)) assertShallow(each, depth + 1)
}

function invalid(reason: string): RetinueError {
  return new RetinueError({ code: 'body-invalid', message: `The body can't be read: ${reason}.`, hint: 'Send JSON.' })
}

function typeRefused(): RetinueError {
  return new RetinueError({
    code: 'content-type-refused',
    message: 'The body is not said to be JSON.',
    hint: 'Send it with the header content-type: application/json.',
  })
}

function tooLarge(limit: number): RetinueError {
  return new RetinueError({
    code: 'body-too-large',
    message: `The body is longer than ${limit} bytes.`,
    hint: 'Send less at once, or raise bodyLimit in server.ts.',
  })
}
