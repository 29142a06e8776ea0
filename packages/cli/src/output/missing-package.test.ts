import { expect, test } from 'vitest'
import { missingPackageText } from './missing-package.ts'

test('a package that is not installed is told with one way to mend it, wherever in the causes it stands', async () => {
  const missing = await import('@nobody/has-this' as string).catch((error: unknown) => error)
  const text =
    "error: Cannot find package '@nobody/has-this'.\n  = fix: install what its package.json lists: npm install --prefix /served\n"
  expect(missingPackageText(missing, '/served')).toBe(text)
  expect(missingPackageText(new Error('storage-failed', { cause: missing }), '/served')).toBe(text)
  const required = await import('node:module').then(({ createRequire }) => {
    return [
      () => createRequire(import.meta.url)('@nobody/has-this'),
      () => createRequire(import.meta.url)('./nor-this'),
    ].map(thrownBy)
  })
  expect(missingPackageText(required[0], '/served')).toBe(text.replace('package', 'module'))
  // Something is wrong with the output, and not with what is installed.
  expect(missingPackageText(required[1], '/served')).toBe(undefined)
  const file = await import('./nor-this.js' as string).catch((error: unknown) => error)
  expect(missingPackageText(file, '/served')).toBe(undefined)
  expect(missingPackageText(new Error('other'), '/served')).toBe(undefined)
})

function thrownBy(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}
