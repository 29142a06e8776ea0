import { RetinueError } from '../errors/retinue-error.ts'
import type { Run } from '../loop/run.ts'

/** Why a delegation is not made at all: too deep, or to an agent that is already at work above. Undefined: it may be made. */
export function boundsError(run: Run, key: string, target: object): RetinueError | undefined {
  const path = [...run.state.path, key].join(' > ')
  // The root is depth 0; its path has one element.
  const depth = run.state.path.length
  if (depth > run.root.maxDepth) {
    return new RetinueError({
      code: 'delegation-too-deep',
      message: `The delegation ${path} is ${depth} levels deep; at most ${run.root.maxDepth} are allowed.`,
      hint: 'Do this part of the work here, or answer with what there is.',
    })
  }
  if (!run.root.allowCycles && run.lineage.includes(target)) {
    return new RetinueError({
      code: 'delegation-cycle',
      message: `The delegation ${path} leads back to an agent that is already at work in this path.`,
      hint: 'Do this part of the work here, or answer with what there is.',
    })
  }
  return undefined
}
