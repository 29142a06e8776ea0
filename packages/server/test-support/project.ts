// What `retinue check` knows of `server.ts`: the two packages do not know each other.
export { SERVER_SETTINGS } from '../../project/src/facts/describe-server.ts'
