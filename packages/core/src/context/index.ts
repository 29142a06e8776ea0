export { RequestContext, type RequestContextLike } from './request-context.ts'
