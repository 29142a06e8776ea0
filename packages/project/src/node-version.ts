import { RetinueError } from '@retinue/core/errors'

/** The first Node that runs TypeScript as it stands and lets a program say how imports are resolved. */
const NEEDED = { major: 22, minor: 18 }

/** Throws `node-too-old` where a project's modules could not be loaded. */
export function assertNodeVersion(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) return
  throw new RetinueError({
    code: 'node-too-old',
    message: `Retinue loads projects on Node ${NEEDED.major}.${NEEDED.minor} or newer; this is ${version}.`,
    hint: `Run the program with Node ${NEEDED.major}.${NEEDED.minor} or newer: an older one does not run TypeScript files.`,
    data: { version },
  })
}
