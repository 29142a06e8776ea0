import { didYouMean } from '../names.ts'
import { namedModels, registeredProviders } from './models.ts'
import type { Rule } from './rule.ts'

/** B1.2: a slip in a provider's name would only come out when the agent runs. */
export const modelProviderUnknown: Rule = {
  code: 'model-provider-unknown',
  severity: 'warning',
  why: 'a model can only be had from a provider that is known, or that the application registers',
  *check(context) {
    const registered = registeredProviders(context)
    for (const { model, place, agentPath } of namedModels(context)) {
      for (const { name, known } of model.strangers) {
        if (registered.has(name)) continue
        const meant = didYouMean(name, [...known, ...registered])
        const list = [...registered, ...known].join(', ')
        const hint = meant === undefined ? `known are ${list}` : `did you mean "${meant}"? Known are ${list}`
        yield {
          message: `no provider is called "${name}"`,
          place,
          agentPath,
          fix: `${hint}; others are registered in defaultOptions.providers`,
        }
      }
    }
  },
}
