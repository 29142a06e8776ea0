export { ERROR_CODES, type ErrorCode } from './codes.ts'
export { type ErrorInfo, isRetinueError, RetinueError, type RetinueErrorInit } from './retinue-error.ts'
