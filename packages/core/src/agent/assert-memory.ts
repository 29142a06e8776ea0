import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'

const EXAMPLE = "memory: { thread: 'chat-1', resource: 'user-1' }"

/** Throws `option-invalid` or `option-unknown` for a memory option that names no conversation. */
export function assertMemoryOption(memory: unknown): void {
  if (memory === undefined) return
  if (!isObject(memory)) throw invalid('The option memory is no object.', EXAMPLE)
  const { thread, resource, options, onBusy, ...rest } = memory
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw new RetinueError({
      code: 'option-unknown',
      message: `memory.${unknown} is not known.`,
      hint: 'Known are thread, resource, options, onBusy.',
      data: { options: [`memory.${unknown}`] },
    })
  if (!isId(isObject(thread) ? thread['id'] : thread)) throw invalid('memory.thread is no id.', EXAMPLE)
  if (!isId(resource))
    throw invalid('memory.resource is missing, so nobody owns the thread.', `Name the person or account: ${EXAMPLE}`)
  if (options !== undefined && !isObject(options)) throw invalid('memory.options is no object.', EXAMPLE)
  if (isObject(options) && options['readOnly'] !== undefined && typeof options['readOnly'] !== 'boolean')
    throw invalid(`memory.options.readOnly is ${String(options['readOnly'])}.`, 'It is true or false.')
  if (onBusy !== undefined && onBusy !== 'wait' && onBusy !== 'reject')
    throw invalid(`memory.onBusy is ${JSON.stringify(onBusy)}.`, "It can be 'wait' or 'reject'.")
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function invalid(message: string, hint: string): RetinueError {
  return new RetinueError({ code: 'option-invalid', message, hint })
}
