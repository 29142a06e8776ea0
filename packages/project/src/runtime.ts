/** What a built project needs when it runs: it makes the agents, and finds, loads and checks nothing. */
export type { ProjectDefaults } from './assemble-application.ts'
export { type AssembledProject, assembleProject, type ProjectParts } from './assemble-project.ts'
export type { AgentBlueprint, ProjectBlueprint } from './blueprint.ts'
export { DATA_DIR } from './layout.ts'
