import type { ModuleFact } from '../facts/facts.ts'
import { PROCESSOR_METHODS } from '../facts/processor-methods.ts'
import { didYouMean } from '../names.ts'
import { propertyPlace, quoteAll } from './places.ts'
import type { Rule } from './rule.ts'

type ProcessorFact = Extract<ModuleFact, { kind: 'processor' }>

/** B11.10: a method of a processor that is never called where it stands, beside one that is. */
export const processorMethodIgnored: Rule = {
  code: 'processor-method-ignored',
  severity: 'warning',
  why: 'what the method was to see, change or stop passes by it, and nobody sees that',
  *check({ plans, loaded, discovered }) {
    for (const { agent, modules } of plans) {
      const processors = modules.flatMap(({ file, slot }) => {
        const fact = loaded.facts.get(file)
        return fact?.kind === 'processor' ? [{ file, slot, fact }] : []
      })
      for (const { file, slot, fact } of processors) {
        const wanted = PROCESSOR_METHODS[slot]
        if (wanted === undefined) continue
        const isInBoth = processors.some((other) => other.slot !== slot && other.fact.id === fact.id)
        const name = file.slice(agent.dir.length + 1)
        for (const { method, fix } of ignored(fact, wanted.own, wanted.other, isInBoth)) {
          const message = `the method "${method}" of the processor "${name}" is never called`
          const place = propertyPlace({ plans, loaded, discovered }, file, [method], 'key')
          yield { message, place, agentPath: agent.path, fix }
        }
      }
    }
  },
}

/** The methods of an instance are those of its class, which may have others for both lists, or for itself. */
function* ignored(
  { methods, strays, isPlain }: ProcessorFact,
  own: readonly string[],
  other: string,
  isInBoth: boolean,
): Iterable<{ readonly method: string; readonly fix: string }> {
  for (const method of strays) {
    const meant = didYouMean(method, own)
    const called = `called here are ${quoteAll(own)}`
    if (meant !== undefined) yield { method, fix: `did you mean "${meant}"? ${called}` }
    else if (isPlain) yield { method, fix: `${called}: rename it, or remove it` }
  }
  // Of a processor that stands on the wrong side as a whole, another rule speaks.
  if (!isPlain || isInBoth || !methods.some((method) => own.includes(method))) return
  for (const method of methods) {
    if (!own.includes(method)) yield { method, fix: `move it to a file in "processors/${other}/", where it is called` }
  }
}
