import type { ModuleSlot } from '../layout.ts'

/** What is called of a processor in each of the two lists. */
export const PROCESSOR_METHODS: Readonly<
  Partial<Record<ModuleSlot, { readonly own: readonly string[]; readonly other: string }>>
> = {
  'input-processor': { own: ['processInput', 'processInputStep'], other: 'output' },
  'output-processor': { own: ['processOutputStream', 'processOutputResult'], other: 'input' },
}
