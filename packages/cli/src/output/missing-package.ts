/** That a package is not installed which an output needs, with what to do; undefined for any other error. `folder`: the output's. */
export function missingPackageText(error: unknown, folder: string): string | undefined {
  const missing = missingPackage(error)
  // Who asked for it is a file of the output, which nobody wrote.
  const what = missing?.message.split(' imported from ')[0]
  return what && `error: ${what}.\n  = fix: install what its package.json lists: npm install --prefix ${folder}\n`
}

/** A package may be imported when it is first needed, such as the driver of a database. */
function missingPackage(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' ? error : missingPackage(error.cause)
}
