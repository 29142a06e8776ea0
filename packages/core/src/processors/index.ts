export type { InputMessageLike } from '../messages/chosen-messages.ts'
export type { OutputPart } from '../model/stream-part.ts'
export type {
  InputContext,
  InputStepContext,
  OutputPartContext,
  OutputResultContext,
  ProcessedInput,
  Processor,
  ProcessorContext,
} from './processor.ts'
