export type { OutputPart } from '../model/stream-part.ts'
export type {
  InputContext,
  InputMessageLike,
  InputStepContext,
  OutputPartContext,
  OutputResultContext,
  ProcessedInput,
  Processor,
  ProcessorContext,
} from './processor.ts'
