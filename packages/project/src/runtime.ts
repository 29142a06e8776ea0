/** What a built project needs when it runs: it makes the agents, and finds, loads and checks nothing. */
export type { ProjectDefaults } from './assemble-application.ts'
export { type AssembledProject, assembleProject, type OwnedSchedule, type ProjectParts } from './assemble-project.ts'
export type { AgentBlueprint, ProjectBlueprint } from './blueprint.ts'
export { applicationOf } from './exported-application.ts'
export { DATA_DIR } from './layout.ts'
export type { Fired } from './schedules/fire-schedule.ts'
export type { ScheduleOutcome } from './schedules/schedule-record.ts'
export {
  type ScheduleEvent,
  ScheduleRunner,
  type ScheduleRunnerOptions,
  type ScheduleState,
} from './schedules/schedule-runner.ts'
