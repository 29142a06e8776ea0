import type { RequestContextLike } from '../context/request-context.ts'
import type { Budget } from '../loop/budget.ts'
import type { ModelCandidate, RootRun, Run, ToolSet } from '../loop/run.ts'
import type { SavedRun } from '../loop/saved-run.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'
import { systemMessages } from '../messages/instructions.ts'
import type { Message } from '../messages/message.ts'
import type { AbortScope } from '../shared/abort.ts'
import { SKILL_TOOL } from '../skills/skill.ts'
import type { OpenTask } from '../tools/outcome.ts'
import type { AgentOptions, ModelSetting } from './agent-config.ts'
import type { AgentParts } from './agent-parts.ts'
import { assertProcessors } from './assert-processors.ts'
import { chosenCandidates, declaredCandidates } from './model-candidates.ts'
import type { Remembered } from './open-memory.ts'
import type { RunOptions } from './run-options.ts'

/** Where a run begins: its place in the tree, its options, and what was said before. */
export interface Place {
  readonly root: RootRun
  readonly abort: AbortScope
  readonly close: () => void
  /** In place of the agent's own. */
  readonly instructions?: string | undefined
  readonly runId: string
  readonly path: readonly string[]
  readonly lineage: readonly object[]
  readonly requestContext: RequestContextLike
  readonly options: RunOptions
  readonly budget: Budget
  readonly system: readonly Message[]
  /** What of `system` came with the input. */
  readonly given: readonly Message[]
  readonly messages: Message[]
  readonly inherited: readonly Message[]
  /** The thread that the run belongs to, and what is remembered of it. */
  readonly thread?: ThreadIds | undefined
  readonly remembered?: Remembered | undefined
  /** Tasks of the thread that have not ended. */
  readonly tasks?: readonly OpenTask[] | undefined
  /** Tasks of the thread of which its input tells. */
  readonly told?: readonly string[] | undefined
  /** The gates of the runs above. */
  readonly gates?: Run['gates'] | undefined
  /** Where the run stood, if it goes on. */
  readonly saved?: SavedRun | undefined
}

/** What of an agent can depend on the request. */
export interface Resolved {
  readonly system: readonly Message[]
  /** What the model is told of the agent's skills. */
  readonly skills?: Message | undefined
  readonly tools: ToolSet
  readonly models: readonly ModelCandidate[]
  readonly processors: Run['processors']
}

export async function resolved(parts: AgentParts, place: Place): Promise<Resolved> {
  const { requestContext } = place
  const { id, instructions, model } = parts.options
  const system =
    typeof instructions === 'function'
      ? systemMessages(await instructions({ requestContext }), id)
      : parts.staticSystem()
  const own = await parts.toolsFor(requestContext)
  const { tools, skills } = parts.options.skills
    ? await withSkills(parts, place, own)
    : { tools: own, skills: undefined }
  const setting = typeof model === 'function' ? await model({ requestContext }) : model
  const models = await candidatesFor(parts, place, setting)
  return { system, skills, tools, models, processors: await askProcessors(parts.options, requestContext) }
}

/** What of an agent's skills a run gets. A model that must not see the tool is told of none. */
async function withSkills(
  parts: AgentParts,
  { requestContext, options }: Place,
  own: ToolSet,
): Promise<Pick<Resolved, 'tools' | 'skills'>> {
  const { offeredSkills } = await import('./agent-skills.ts')
  const offered = await offeredSkills(parts, requestContext, own)
  if (!offered) return { tools: own }
  const isActive = options.activeTools?.includes(SKILL_TOOL) ?? true
  return { tools: offered.tools, skills: isActive ? offered.message : undefined }
}

/** The models that a setting names, or that the caller of the run decides on in their place. */
export async function candidatesFor(
  parts: AgentParts,
  place: Place,
  setting: ModelSetting | undefined,
): Promise<readonly ModelCandidate[]> {
  const { id } = parts.options
  const { chooseModel, providers } = modelsOf(place)
  const models = chooseModel
    ? await chosenCandidates(setting, chooseModel, { agentId: id, path: place.path }, providers)
    : declaredCandidates(setting, id, providers)
  if (place.budget.inMoney) {
    const { assertPriced } = await import('./priced.ts')
    assertPriced(
      id,
      models.map(({ use }) => use.used),
      place.budget,
    )
  }
  return models
}

/** The processors of a run; undefined where there are none, or where functions have yet to be asked for them. */
export function processorsOf(
  input: AgentOptions['inputProcessors'],
  output: AgentOptions['outputProcessors'],
): Run['processors'] {
  if (typeof input === 'function' || typeof output === 'function' || !(input?.length || output?.length))
    return undefined
  return { input: input ?? [], output: output ?? [], states: new Map() }
}

async function askProcessors(agent: AgentOptions, requestContext: RequestContextLike): Promise<Run['processors']> {
  const { id, inputProcessors, outputProcessors } = agent
  const input = typeof inputProcessors === 'function' ? await inputProcessors({ requestContext }) : inputProcessors
  const output = typeof outputProcessors === 'function' ? await outputProcessors({ requestContext }) : outputProcessors
  if (input !== inputProcessors) assertProcessors(input, id, 'inputProcessors')
  if (output !== outputProcessors) assertProcessors(output, id, 'outputProcessors')
  return processorsOf(input, output)
}

/** Who decides on models, and who makes them: the root's options, else the child's own defaults. */
export function modelsOf({ root, options }: Place): Pick<RootRun, 'chooseModel' | 'providers'> {
  const providers =
    options.providers && root.providers !== options.providers
      ? { ...options.providers, ...root.providers }
      : root.providers
  return { chooseModel: root.chooseModel ?? options.resolveModel, providers }
}
