export { RequestContext } from './request-context.ts'
