import { isRetinue } from '@retinue/core'

/** The application that an `index.ts` exports: as its default, else as the only one among its names. */
export function applicationOf(namespace: Readonly<Record<string, unknown>>): unknown {
  const own = namespace['default']
  if (own !== undefined) return own
  const named = Object.values(namespace).filter(isRetinue)
  return named.length === 1 ? named[0] : undefined
}
