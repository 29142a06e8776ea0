import type { ModelUse } from '@retinue/core/agent'

/** What answers, and why if it is not the one that the config asks for. */
export function modelText({ requested, used, why }: ModelUse): string {
  return `model ${used}${why === undefined ? '' : `  (the config asks for ${requested}; ${why})`}`
}
