export { createEcho } from './echo.ts'
export { createPlanner } from './planner.ts'
