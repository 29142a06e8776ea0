import { createTool, type Tool } from '@retinue/core/tools'
import { requestInvalid } from '../errors/request-errors.ts'
import { withoutPatterns } from '../work/client-schema.ts'

/** A function of the client's, in either of OpenAI's forms. */
export interface ClientFunction {
  readonly name: string
  readonly description?: string | null | undefined
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined
}

/** Functions of the client's as tools that are its to run. */
export function clientTools(functions: readonly ClientFunction[]): Readonly<Record<string, Tool>> {
  const tools: Record<string, Tool> = Object.create(null)
  for (const { name, description, parameters } of functions) {
    if (Object.hasOwn(tools, name)) throw requestInvalid(`Two tools are called "${name}".`, 'Rename one.')
    tools[name] = createTool({
      id: name,
      ...(description === undefined || description === null ? {} : { description }),
      inputSchema: withoutPatterns(parameters ?? { type: 'object', properties: {} }) as never,
    })
  }
  return tools
}
