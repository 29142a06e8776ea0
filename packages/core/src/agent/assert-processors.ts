import { agentInvalid } from '../errors/option-errors.ts'
import type { Processor } from '../processors/processor.ts'
import { isObject } from '../shared/records.ts'

type List = 'inputProcessors' | 'outputProcessors'

/** The methods that a list asks for: a processor with none of them would be there and do nothing. */
const METHODS: Readonly<Record<List, readonly (keyof Processor)[]>> = {
  inputProcessors: ['processInput', 'processInputStep'],
  outputProcessors: ['processOutputStream', 'processOutputResult'],
}

/** Throws `agent-invalid` for processors that are none, or that do nothing where they stand. A function is asked when the agent runs. */
export function assertProcessors(list: unknown, agentId: string, name: List): void {
  if (list === undefined || typeof list === 'function') return
  if (!Array.isArray(list))
    throw agentInvalid(`The ${name} of the agent "${agentId}" are no list.`, `${name}: [processor]`)
  const methods = METHODS[name]
  for (const [index, processor] of list.entries()) {
    const { id } = isObject(processor) ? processor : {}
    if (typeof id !== 'string' || id === '')
      throw agentInvalid(
        `Processor ${index} in the ${name} of the agent "${agentId}" has no id.`,
        `{ id: 'guard', ${methods[0]}() { … } }`,
      )
    if (!methods.some((method) => typeof (processor as Processor)[method] === 'function'))
      throw agentInvalid(
        `The processor "${id}" in the ${name} of the agent "${agentId}" has none of the methods that are called there.`,
        `They are ${methods.join(' and ')}.`,
      )
  }
}
