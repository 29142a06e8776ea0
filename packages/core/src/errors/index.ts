export { ERROR_CODES, type ErrorCode } from './codes.ts'
export {
  type ErrorInfo,
  isRetinueError,
  modelSafeMessage,
  RetinueError,
  type RetinueErrorInit,
} from './retinue-error.ts'
