import { expect, test } from 'vitest'
import { missingPackageText } from './missing-package.ts'

test('a package that is not installed is told with one way to mend it, wherever in the causes it stands', async () => {
  const missing = await import('@nobody/has-this' as string).catch((error: unknown) => error)
  const text =
    "error: Cannot find package '@nobody/has-this'.\n  = fix: install what its package.json lists: npm install --prefix /served\n"
  expect(missingPackageText(missing, '/served')).toBe(text)
  expect(missingPackageText(new Error('storage-failed', { cause: missing }), '/served')).toBe(text)
  expect(missingPackageText(new Error('other'), '/served')).toBe(undefined)
})
