import { RetinueError } from '@retinue/core/errors'
import * as croner from 'croner'
import type { OwnedSchedule } from '../assemble-project.ts'
import { scheduleProblems } from '../facts/schedule-problems.ts'
import { DueTimes } from './due-times.ts'

/** A schedule that can run when and as it says. */
export interface KnownSchedule extends OwnedSchedule {
  /** `agent/key`: what it is called wherever it is told of. */
  readonly name: string
  readonly due: DueTimes
}

/**
 * Throws `application-invalid` for one that can't run: `check` said so, unless its module says another thing when it runs than when it
 * was checked. Nobody is there when it is due, so it must be known when the application starts.
 */
export function knownSchedule(owned: OwnedSchedule): KnownSchedule {
  const { agent, key, schedule } = owned
  const name = `${agent}/${key}`
  const fields = { ...schedule }
  for (const { message, fix } of scheduleProblems(fields, () => croner)) {
    const hint = `In schedules/${key} of "${agent}", ${fix}.`
    throw new RetinueError({ code: 'application-invalid', message: `The schedule "${name}" ${message}.`, hint })
  }
  return { agent, key, schedule, name, due: new DueTimes(schedule) }
}
