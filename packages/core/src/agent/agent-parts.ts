import type { RequestContextLike } from '../context/request-context.ts'
import type { ToolSet } from '../loop/run.ts'
import type { SystemMessage } from '../messages/message.ts'
import { type CompiledSchema, compileSchema } from '../tools/schema.ts'
import type { AgentOptions } from './agent-config.ts'
import { compileTools, type ToolSources } from './agent-tools.ts'
import { systemMessages } from './instructions.ts'
import type { ModelCache } from './model-candidates.ts'

/** An agent's options, and what is made of them once: runs only read it. */
export class AgentParts {
  readonly options: AgentOptions
  /** The agent that the parts are of. */
  readonly self: object
  readonly models: ModelCache = new Map()
  readonly #staticTools: ToolSet | undefined
  readonly #answer: CompiledSchema | undefined
  #system: SystemMessage[] | undefined
  #dynamic: { sources: ToolSources; set: ToolSet } | undefined

  constructor(options: AgentOptions, self: object) {
    this.options = options
    this.self = self
    const { id, tools, agents, workspace, outputSchema } = options
    this.#answer =
      outputSchema === undefined ? undefined : compileSchema(outputSchema, `the answer of the agent "${id}"`)
    if (typeof tools !== 'function' && typeof agents !== 'function')
      this.#staticTools = compileTools(id, { tools, agents, workspace })
  }

  answer(): CompiledSchema | undefined {
    return this.#answer
  }

  /** The instructions as system messages, where they are no function. */
  staticSystem(): SystemMessage[] {
    this.#system ??= systemMessages(this.options.instructions, this.options.id)
    return this.#system
  }

  /** The tools for a request. What a function gives again is not compiled again. */
  async toolsFor(requestContext: RequestContextLike): Promise<ToolSet> {
    if (this.#staticTools) return this.#staticTools
    const { id, tools, agents, workspace } = this.options
    const sources: ToolSources = {
      tools: typeof tools === 'function' ? await tools({ requestContext }) : tools,
      agents: typeof agents === 'function' ? await agents({ requestContext }) : agents,
      workspace,
    }
    const known = this.#dynamic
    if (known && known.sources.tools === sources.tools && known.sources.agents === sources.agents) return known.set
    const set = compileTools(id, sources)
    this.#dynamic = { sources, set }
    return set
  }
}
