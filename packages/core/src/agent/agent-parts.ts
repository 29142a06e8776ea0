import type { RequestContextLike } from '../context/request-context.ts'
import type { ModelCandidate, ToolSet } from '../loop/run.ts'
import type { TaskTerms } from '../loop/run-tasks.ts'
import { systemMessages } from '../messages/instructions.ts'
import type { SystemMessage } from '../messages/message.ts'
import { mayHaveSkills } from '../skills/skill.ts'
import type { Storage } from '../storage/storage.ts'
import { type CompiledSchema, compileSchema } from '../tools/schema.ts'
import type { AgentOptions, ModelSetting } from './agent-config.ts'
import type { OfferedSkills } from './agent-skills.ts'
import { compileTools, NO_TOOLS, type ToolSources, withReferences } from './agent-tools.ts'
import { assertNamed, type BackgroundSet, backgroundSet, inheritedTerms, namedTerms } from './background-terms.ts'
import { declaredCandidates } from './model-candidates.ts'

/** Where an agent holds its parts, for the other agents of its tree. */
export const PARTS: unique symbol = Symbol.for('retinue.agent-parts')

/** An agent's options, and what is made of them once: runs only read it. */
export class AgentParts {
  readonly options: AgentOptions
  /** The agent that the parts are of. */
  readonly self: object
  /** What the final answer must fit. */
  readonly answer: CompiledSchema | undefined
  /** Whether every run finds the same instructions, model and tools, so that nothing has to be asked for. */
  readonly isStatic: boolean
  /** The skills as they were last offered. */
  offered: OfferedSkills | undefined
  /** Where runs are kept that no application has a storage for. */
  readonly inProcess: { storage: Storage | undefined } = { storage: undefined }
  readonly #staticTools: ToolSet | undefined
  #system: SystemMessage[] | undefined
  #candidates: ModelCandidate[] | undefined
  #referring: { of: ToolSet; set: ToolSet } | undefined
  #background: { of: ToolSet; set: BackgroundSet } | undefined
  /** Whether it is being asked what it can run in the background: agents can lead back to themselves. */
  #isAsked = false
  #dynamic: { sources: ToolSources; set: ToolSet } | undefined

  constructor(options: AgentOptions, self: object) {
    this.options = options
    this.self = self
    const {
      id,
      instructions,
      model,
      tools,
      agents,
      workspace,
      skills,
      outputSchema,
      inputProcessors,
      outputProcessors,
    } = options
    this.answer =
      outputSchema === undefined ? undefined : compileSchema(outputSchema, `the answer of the agent "${id}"`)
    const isDynamic = [instructions, model, tools, agents, inputProcessors, outputProcessors].some(
      (value) => typeof value === 'function',
    )
    this.isStatic = !isDynamic && !mayHaveSkills(skills)
    if (typeof tools !== 'function' && typeof agents !== 'function')
      this.#staticTools = compileTools(id, { tools, agents, workspace, skills })
  }

  /** The instructions as system messages, where they are no function. */
  staticSystem(): SystemMessage[] {
    this.#system ??= systemMessages(this.options.instructions, this.options.id)
    return this.#system
  }

  /** The declared models, where they are no function: models that strings name are made once an agent. */
  staticCandidates(): ModelCandidate[] {
    this.#candidates ??= declaredCandidates(this.options.model as ModelSetting | undefined, this.options.id, undefined)
    return this.#candidates
  }

  /** The tools, where they are no function. */
  staticTools(): ToolSet {
    return this.#staticTools ?? NO_TOOLS
  }

  /** The tools where results of delegations have ids: each delegation has a field for them. Made once for each set. */
  withReferences(tools: ToolSet): ToolSet {
    if (this.#referring?.of !== tools) this.#referring = { of: tools, set: withReferences(tools) }
    return this.#referring.set
  }

  /** The tools where background tasks are turned on. Made once for each set. */
  inBackground(tools: ToolSet): BackgroundSet {
    const { id, backgroundTasks } = this.options
    if (this.#background?.of === tools) return this.#background.set
    // Only now: an agent of a folder is made of its config first, and of its subagents after.
    if (this.#staticTools) assertNamed(id, this.#staticTools, backgroundTasks)
    this.#background = { of: tools, set: backgroundSet(id, tools, backgroundTasks) }
    return this.#background.set
  }

  /** How a parent that does not say so itself runs the agent in the background; undefined: not at all. */
  backgroundTerms(): TaskTerms | undefined {
    if (!this.#staticTools) return inheritedTerms(namedTerms(this.options.backgroundTasks))
    if (this.#isAsked) return undefined
    this.#isAsked = true
    try {
      return inheritedTerms(this.inBackground(this.#staticTools).terms)
    } finally {
      this.#isAsked = false
    }
  }

  /** The tools for a request. What a function gives again is not compiled again. */
  async toolsFor(requestContext: RequestContextLike): Promise<ToolSet> {
    if (this.#staticTools) return this.#staticTools
    const { id, tools, agents, workspace, skills } = this.options
    const sources: ToolSources = {
      tools: typeof tools === 'function' ? await tools({ requestContext }) : tools,
      agents: typeof agents === 'function' ? await agents({ requestContext }) : agents,
      workspace,
      skills,
    }
    const known = this.#dynamic
    if (known && known.sources.tools === sources.tools && known.sources.agents === sources.agents) return known.set
    const set = compileTools(id, sources)
    this.#dynamic = { sources, set }
    return set
  }
}
