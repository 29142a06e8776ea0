import type { RequestContextLike } from '@retinue/core/request-context'

/** Who asks. */
export interface Caller {
  /** The person or account: what threads, runs, approvals and tasks belong to. At most 256 characters. */
  readonly resourceId: string
  /** `own` (the default): what is of others does not exist for them. `all`: an operator, who may name any resource. */
  readonly sees?: 'own' | 'all'
  /**
   * Values for the tools and functions of the runs that they begin. They are saved with a run that waits, as far as they are JSON:
   * hand in a `RequestContext` to keep one out of the store (`{ persist: false }`).
   */
  readonly context?: RequestContextLike | Readonly<Record<string, unknown>>
}

/** Says who asks; undefined refuses the request with 401. It reads no body. What it throws is a failure of the server. */
export type Authenticate = (request: Request) => Caller | undefined | Promise<Caller | undefined>

/** Who asks where nothing says so: whoever is at this machine, or has the token. */
export const OPERATOR: Caller = { resourceId: 'local', sees: 'all' }
