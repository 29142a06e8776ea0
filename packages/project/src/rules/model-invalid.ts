import { namedModels } from './models.ts'
import type { Rule } from './rule.ts'

/** B1.2: a model's name says whose it is. */
export const modelInvalid: Rule = {
  code: 'model-invalid',
  severity: 'error',
  why: 'a model is named with its provider; there is no hidden default for either',
  *check(context) {
    for (const { model, place, agentPath } of namedModels(context)) {
      for (const name of model.malformed) {
        const fix = "write it as 'provider/model', such as 'openai/gpt-5.5'"
        yield { message: `${JSON.stringify(name)} is no model name`, place, agentPath, fix }
      }
    }
  },
}
