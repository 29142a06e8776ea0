import { PROCESSOR_METHODS } from '../facts/processor-methods.ts'
import { exportPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B1.1: a processor that core refuses, or that would stand there and never be called. */
export const processorInvalid: Rule = {
  code: 'processor-invalid',
  severity: 'error',
  why: 'of a processor in "input/" the input methods are called, of one in "output/" those of the output, and errors name it by its id',
  *check(context) {
    for (const { agent, modules } of context.plans) {
      for (const { file, slot, key } of modules) {
        const wanted = PROCESSOR_METHODS[slot]
        const fact = context.loaded.facts.get(file)
        if (wanted === undefined || fact?.kind !== 'processor') continue
        const { own, other } = wanted
        const found = { place: exportPlace(context, file), agentPath: agent.path }
        const name = file.slice(agent.dir.length + 1)
        if (fact.id === undefined)
          yield { ...found, message: `the processor "${name}" has no id`, fix: `write id: '${key}'` }
        if (fact.methods.some((method) => own.includes(method))) continue
        const move = `move it to "processors/${other}/", where ${fact.methods.join(' and ')} would be called`
        yield {
          ...found,
          message: `the processor "${name}" has none of the methods that are called there`,
          fix: fact.methods.length > 0 ? move : `write ${own.join(' or ')}`,
        }
      }
    }
  },
}
