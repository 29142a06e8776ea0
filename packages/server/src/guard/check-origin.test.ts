import { expect, test } from 'vitest'
import { checkedSettings } from '../settings/checked-settings.ts'
import { assertOrigin } from './check-origin.ts'

const LISTED = 'https://app.example.com'
const settings = checkedSettings({ cors: { origins: [LISTED] } })

/** What the check says of a request with these headers. */
function said(headers: Record<string, string>, method = 'POST', url = 'http://localhost:4111/api/agents'): string {
  // `Request` lets nobody set a Host or an Origin; a connection does.
  const request = Object.defineProperty(new Request(url, { method }), 'headers', { value: new Headers(headers) })
  try {
    assertOrigin(request, settings)
    return 'allowed'
  } catch (thrown) {
    return (thrown as { code: string }).code
  }
}

test.each([
  ['a program, which sends none', {}, 'allowed'],
  ['the page of the server itself', { origin: 'http://localhost:4111', host: 'localhost:4111' }, 'allowed'],
  ['its page behind a proxy with TLS', { origin: 'https://agents.example.com', host: 'agents.example.com' }, 'allowed'],
  ['its page, whose port is the usual one', { origin: 'http://localhost', host: 'localhost:80' }, 'allowed'],
  ['its page, where nothing says how it was called', { origin: 'http://localhost:4111' }, 'allowed'],
  ['a listed page', { origin: LISTED, host: 'localhost:4111' }, 'allowed'],
  ['a listed page, as browsers say it', { origin: LISTED, 'sec-fetch-site': 'cross-site' }, 'allowed'],
  ['another page', { origin: 'https://evil.example', host: 'localhost:4111' }, 'origin-refused'],
  ['a page on another port', { origin: 'http://localhost:9999', host: 'localhost:4111' }, 'origin-refused'],
  ['a page of a longer name', { origin: `${LISTED}.evil.example`, host: 'localhost:4111' }, 'origin-refused'],
  ['a listed name with another protocol', { origin: 'http://app.example.com' }, 'origin-refused'],
  ['a listed name on another port', { origin: `${LISTED}:8443` }, 'origin-refused'],
  ['a frame without an origin', { origin: 'null', host: 'null' }, 'origin-refused'],
  ['a file', { origin: 'file://', host: 'localhost:4111' }, 'origin-refused'],
  [
    'an extension with the name of the server',
    { origin: 'chrome-extension://localhost', host: 'localhost' },
    'origin-refused',
  ],
  ['an empty origin', { origin: '', host: 'localhost:4111' }, 'origin-refused'],
])('R19 the check of the origin: %s', (_who, headers, expected) => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    expect([method, said(headers as Record<string, string>, method)]).toEqual([method, expected])
})

test('R19 what another site brings about without an origin is refused; what it only reads it can’t see', () => {
  const cross = { 'sec-fetch-site': 'cross-site', host: 'localhost:4111' }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect([method, said(cross, method)]).toEqual([method, 'origin-refused'])
  for (const method of ['GET', 'OPTIONS']) expect(said(cross, method)).toBe('allowed')
  for (const site of ['same-origin', 'same-site', 'none'])
    expect([site, said({ ...cross, 'sec-fetch-site': site })]).toEqual([site, 'allowed'])
})
