// What `retinue check` knows of `server.ts`: the two packages do not know each other.
export { SERVER_SETTINGS } from '../../project/src/facts/describe-server.ts'
export { serverProblems } from '../../project/src/facts/server-problems.ts'
