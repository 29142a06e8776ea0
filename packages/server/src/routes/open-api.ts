import { openApi } from '../http/open-api.ts'
import { type Route, route } from '../http/route.ts'

/** The description of a table of routes, which is one of them. */
export function withOpenApi(routes: readonly Route[]): readonly Route[] {
  const all: Route[] = [
    ...routes,
    route({
      method: 'get',
      path: '/openapi.json',
      owner: 'caller',
      tag: 'server',
      summary: 'This description, OpenAPI 3.1.',
      answers: { 200: { description: 'OpenAPI 3.1.' } },
      handle: ({ services: { settings } }) =>
        Response.json(openApi(all, settings.token !== undefined || settings.auth !== undefined)),
    }),
  ]
  return all
}
