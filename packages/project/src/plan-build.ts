import type { ProjectBlueprint } from './blueprint.ts'
import { type CheckOptions, type CheckResult, check } from './check-project.ts'
import { projectRoot } from './project-root.ts'

export interface BuildPlan {
  /** What `checkProject` gives. */
  readonly result: CheckResult
  /** The project's real path. */
  readonly root: string
  /** What is to be built; `undefined` if there are errors. */
  readonly blueprint: ProjectBlueprint | undefined
}

/** Checks a project as `checkProject` does, and says what a build of it is made of. Throws what `checkProject` throws. */
export async function planBuild(path: string, options: CheckOptions = {}): Promise<BuildPlan> {
  const { root, dir } = projectRoot(path, options.dir)
  const { result, examination, tree } = await check({ root, dir, timeoutMs: options.timeoutMs, types: options.types })
  if (result.errors > 0) return { result, root, blueprint: undefined }
  const [{ drawBlueprint }, { parseFrontmatter }, { readText }] = await Promise.all([
    import('./draw-blueprint.ts'),
    import('./discover/frontmatter.ts'),
    import('./tree/read-text.ts'),
  ])
  const blueprint = drawBlueprint(examination.plans, examination.shared, (file) => {
    const read = readText(tree, file)
    return read.ok ? parseFrontmatter(read.text).values : {}
  })
  return { result, root, blueprint }
}
