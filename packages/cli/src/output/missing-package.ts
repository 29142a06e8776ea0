/** That a package is not installed which an output needs, with what to do; undefined for any other error. `folder`: the output's. */
export function missingPackageText(error: unknown, folder: string): string | undefined {
  const what = missingPackage(error)
  return what && `error: ${what}.\n  = fix: install what its package.json lists: npm install --prefix ${folder}\n`
}

/** As Node says it to imports, and to CommonJS. Who asked for it is a file of the output, which nobody wrote. */
const MISSING = /^Cannot find (?:package|module) '(?![./]|file:|[A-Za-z]:)[^']*'/

/** A package may be imported when it is first needed, such as the driver of a database. */
function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const isMissing = 'code' in error && /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(error.code))
  const what = isMissing ? MISSING.exec(error.message)?.[0] : undefined
  return what ?? missingPackage(error.cause)
}
