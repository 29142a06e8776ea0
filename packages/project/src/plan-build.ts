import type { ProjectBlueprint } from './blueprint.ts'
import { type Check, type CheckOptions, type CheckResult, check } from './check-project.ts'
import type { AgentEntryFact, ModelFact } from './facts/facts.ts'
import type { AgentPlan } from './plan.ts'
import { projectRoot } from './project-root.ts'

export interface PlannedBuild {
  /** The project's real path. */
  readonly root: string
  /** What checking it gave. */
  readonly plan: Promise<BuildPlan>
}

export interface BuildPlan {
  /** What `checkProject` gives. */
  readonly result: CheckResult
  /** What is to be built; `undefined` if there are errors. */
  readonly blueprint: ProjectBlueprint | undefined
  /** The packages of the model providers that its agents name. */
  readonly providers: readonly string[]
}

/**
 * Checks a project as `checkProject` does, and says what a build of it is made of. Throws at once what `checkProject` throws; where the
 * project stands is known at once, too.
 */
export function planBuild(path: string, { dir: given, timeoutMs, types }: CheckOptions = {}): PlannedBuild {
  const { root, dir } = projectRoot(path, given)
  return { root, plan: planOf({ root, dir, timeoutMs, types }) }
}

async function planOf(request: Check): Promise<BuildPlan> {
  const { result, examination, tree } = await check(request)
  if (result.errors > 0) return { result, blueprint: undefined, providers: [] }
  const [{ drawBlueprint }, { parseFrontmatter }, { readText }] = await Promise.all([
    import('./draw-blueprint.ts'),
    import('./discover/frontmatter.ts'),
    import('./tree/read-text.ts'),
  ])
  const blueprint = drawBlueprint(examination.plans, examination.shared, (file) => {
    const read = readText(tree, file)
    return read.ok ? parseFrontmatter(read.text).values : {}
  })
  return { result, blueprint, providers: providersOf(examination.plans) }
}

function providersOf(plans: readonly AgentPlan[]): readonly string[] {
  const coded = (entry: AgentEntryFact): readonly ModelFact[] =>
    entry.agent === undefined ? [] : [entry.agent.model, ...entry.agent.agents.flatMap(coded)]
  const models = plans.flatMap(({ config, fact, coded: entries }) => [
    ...(typeof config === 'object' ? [config.model] : []),
    ...(fact?.kind === 'agent' ? [fact.agent.model, ...fact.agent.agents.flatMap(coded)] : []),
    ...entries.flatMap(coded),
  ])
  const packages = models.flatMap(({ providers }) => providers.map((provider) => provider.package))
  return [...new Set(packages.filter((name) => name !== undefined))].sort()
}
