import { optionInvalid, optionUnknown } from '../errors/option-errors.ts'
import { assertChosenId, assertPersonsResource } from '../memory/thread-owner.ts'
import { isObject } from '../shared/records.ts'

const EXAMPLE = "memory: { thread: 'chat-1', resource: 'user-1' }"

/** Throws `option-invalid` or `option-unknown` for a memory option that names no conversation. */
export function assertMemoryOption(memory: unknown): void {
  if (memory === undefined) return
  if (!isObject(memory)) throw optionInvalid('The option memory is no object.', EXAMPLE)
  const { thread, resource, options, onBusy, busyTimeoutMs, keepMessageIds, replaceFrom, ...rest } = memory
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw optionUnknown(
      `memory.${unknown} is not known.`,
      ['thread', 'resource', 'options', 'onBusy', 'busyTimeoutMs', 'keepMessageIds', 'replaceFrom'],
      [`memory.${unknown}`],
    )
  if (!isId(isObject(thread) ? thread['id'] : thread)) throw optionInvalid('memory.thread is no id.', EXAMPLE)
  if (!isId(resource))
    throw optionInvalid(
      'memory.resource is missing, so nobody owns the thread.',
      `Name the person or account: ${EXAMPLE}`,
    )
  assertChosenId(isObject(thread) ? thread['id'] : thread, 'memory.thread')
  assertChosenId(resource, 'memory.resource')
  assertPersonsResource(resource, 'memory.resource')
  if (options !== undefined && !isObject(options)) throw optionInvalid('memory.options is no object.', EXAMPLE)
  if (isObject(options) && options['readOnly'] !== undefined && typeof options['readOnly'] !== 'boolean')
    throw optionInvalid(`memory.options.readOnly is ${String(options['readOnly'])}.`, 'It is true or false.')
  if (onBusy !== undefined && onBusy !== 'wait' && onBusy !== 'reject')
    throw optionInvalid(`memory.onBusy is ${JSON.stringify(onBusy)}.`, "It can be 'wait' or 'reject'.")
  if (busyTimeoutMs !== undefined && !(typeof busyTimeoutMs === 'number' && busyTimeoutMs > 0))
    throw optionInvalid(`memory.busyTimeoutMs is ${String(busyTimeoutMs)}.`, 'It is a time in milliseconds, above 0.')
  if (keepMessageIds !== undefined && typeof keepMessageIds !== 'boolean')
    throw optionInvalid(`memory.keepMessageIds is ${JSON.stringify(keepMessageIds)}.`, 'It is true or false.')
  assertReplaceFrom(replaceFrom, isObject(options) && options['readOnly'] === true)
}

function assertReplaceFrom(replaceFrom: unknown, isReadOnly: boolean): void {
  if (replaceFrom === undefined) return
  if (!isId(replaceFrom))
    throw optionInvalid('memory.replaceFrom is no id.', 'It is the id of a message: agent.getMemory(), recall().')
  if (isReadOnly)
    throw optionInvalid(
      'memory.replaceFrom deletes, and memory.options.readOnly writes nothing.',
      'Leave one of them out.',
    )
}

/** Throws `option-invalid` for the owner of a run that is none. */
export function assertOwner(owner: unknown): void {
  if (owner === undefined) return
  if (!isId(owner)) throw optionInvalid('The option owner is no id.', "owner: 'user-1'")
  assertChosenId(owner, 'owner')
  assertPersonsResource(owner, 'owner')
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
