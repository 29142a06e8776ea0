import { z } from 'zod'
import type { Answer, Route } from './route.ts'

/** The envelope of every error. */
const errorEnvelope: z.ZodType = z.looseObject({
  code: z.string().describe('Stable: tell errors apart by it.'),
  message: z.string(),
  hint: z.string().optional().describe('How to mend what happened.'),
  path: z.string(),
  requestId: z.string(),
})

type Json = Record<string, unknown>

/** The table of routes as OpenAPI 3.1, of the schemas that check requests. */
export function openApi(routes: readonly Route[], hasAuth: boolean): Json {
  const paths: Record<string, Json> = {}
  for (const each of routes) {
    const path = each.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [each.method]: operation(each) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Retinue', version: '1', description: 'Agents over HTTP.' },
    paths,
    components: {
      schemas: { Error: jsonSchema(errorEnvelope) },
      ...(hasAuth ? { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } } : {}),
    },
    ...(hasAuth ? { security: [{ token: [] }] } : {}),
  }
}

function operation({ method, path, summary, tag, owner, params, query, body, answers }: Route): Json {
  const isRequired = body?.safeParse(undefined).success === false
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')]
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tag],
    ...(owner === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: isRequired, content: { 'application/json': { schema: jsonSchema(body) } } } }
      : {}),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, response(answer)])),
      default: {
        description: 'It failed.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

/** `get /api/runs/:runId/events` → `getApiRunsRunIdEvents`. */
function operationId(method: string, path: string): string {
  return method + path.replaceAll(/[^\w]+(\w)/g, (_all, letter: string) => letter.toUpperCase())
}

function response({ description, schema, stream }: Answer): Json {
  const json = schema && stream !== 'only' ? { 'application/json': { schema: jsonSchema(schema) } } : {}
  const events = stream ? { 'text/event-stream': { schema: { type: 'string' } } } : {}
  const content = { ...json, ...events }
  return Object.keys(content).length > 0 ? { description, content } : { description }
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return []
  const { properties, required } = jsonSchema(schema) as { properties?: Record<string, Json>; required?: string[] }
  return Object.entries(properties ?? {}).map(([name, own]) => ({
    name,
    in: place,
    required: place === 'path' || (required ?? []).includes(name),
    schema: own,
  }))
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as Json
  return rest
}
