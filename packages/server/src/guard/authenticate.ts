import { authRequired, settingsInvalid } from '../errors/request-errors.ts'
import { type Caller, OPERATOR } from '../settings/caller.ts'
import type { CheckedSettings } from '../settings/checked-settings.ts'

const LONGEST_ID = 256

/** Who asks. Throws `auth-required` where that is not known. */
export async function authenticate(request: Request, { auth, token }: CheckedSettings): Promise<Caller> {
  if (auth) return checkedCaller(await auth(request))
  if (token === undefined) return OPERATOR
  const given = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (given !== undefined && (await isSame(given, token))) return OPERATOR
  throw authRequired('Send the header authorization: Bearer <token>, with the token of server.ts.')
}

/** What an application says of who asks is checked: an id that is none must not become one that everybody has. */
function checkedCaller(caller: Caller | undefined): Caller {
  if (caller === undefined || caller === null) throw authRequired('Sign in with the application, and try again.')
  const { resourceId, sees } = caller
  if (typeof resourceId !== 'string' || resourceId.trim() === '' || resourceId.length > LONGEST_ID)
    throw settingsInvalid('The function auth gave a caller without a resourceId.', "{ resourceId: 'ada' }")
  if (sees !== undefined && sees !== 'own' && sees !== 'all')
    throw settingsInvalid('The function auth gave a caller who sees neither own nor all.', "sees: 'own'")
  return caller
}

/** Compares digests, so that the time it takes says nothing of how much of a guess is right. */
async function isSame(given: string, token: string): Promise<boolean> {
  const [one, other] = await Promise.all([given, token].map(digest))
  if (!one || !other) return false
  let difference = 0
  for (let i = 0; i < one.length; i++) difference |= (one[i] ?? 0) ^ (other[i] ?? 0)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
