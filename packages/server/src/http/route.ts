import type { z } from 'zod'
import type { RequestPlace } from '../errors/error-response.ts'
import type { OwnerRule, Scopes } from './scope.ts'
import type { Services } from './services.ts'

export type Method = 'get' | 'post' | 'patch' | 'delete'

/** What a route gives, for people and for OpenAPI. */
export interface Answer {
  readonly description: string
  /** What its JSON is. */
  readonly schema?: z.ZodType
  /** It can also, or only, be a stream of events. */
  readonly stream?: 'also' | 'only'
}

/** What a route is handed: checked by its schemas, and no more than its owner rule allows. */
export interface RouteRequest<Rule extends OwnerRule, Params, Query, Body> {
  readonly services: Services
  readonly scope: Scopes[Rule]
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  readonly place: RequestPlace
}

/** One route: a row of the table that serves requests, checks them and describes itself. */
export interface RouteSpec<
  Rule extends OwnerRule,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
> {
  readonly method: Method
  /** With its parameters as `:name`. */
  readonly path: string
  /** Who may use it on what. There is no route without one. */
  readonly owner: Rule
  readonly summary: string
  /** The heading that it stands under. */
  readonly tag: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly answers: Readonly<Record<number, Answer>>
  handle(request: RouteRequest<Rule, z.output<Params>, z.output<Query>, z.output<Body>>): Response | Promise<Response>
}

/** A route of the table, whatever its types. */
export type Route = RouteSpec<OwnerRule, z.ZodType, z.ZodType, z.ZodType>

/** Types a route. Its handler sees what its schemas and its owner rule give. */
export function route<
  Rule extends OwnerRule,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(spec: RouteSpec<Rule, Params, Query, Body>): Route {
  return spec as unknown as Route
}
