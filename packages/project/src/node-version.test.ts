import { expect, test } from 'vitest'
import { assertNodeVersion } from './node-version.ts'

test.each(['18.20.0', '20.19.4', '22.17.1', '22.0.0'])('Node %s is a typed error', (version) => {
  expect(() => assertNodeVersion(version)).toThrow(expect.objectContaining({ code: 'node-too-old' }))
})

test.each(['22.18.0', '23.0.0', '24.21.0', '26.0.0-nightly'])('Node %s is in order', (version) => {
  expect(() => assertNodeVersion(version)).not.toThrow()
})
