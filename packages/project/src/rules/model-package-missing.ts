import { namedModels, registeredProviders } from './models.ts'
import type { Rule } from './rule.ts'

/** B1.2: a provider's package is loaded when its model is first asked, so a missing one comes out late. */
export const modelPackageMissing: Rule = {
  code: 'model-package-missing',
  severity: 'warning',
  why: "a provider's models are made by its AI SDK package, which is not part of Retinue",
  *check(context) {
    const { surroundings } = context.discovered.tree
    if (surroundings === undefined) return
    // One that is registered brings its models along.
    const registered = registeredProviders(context)
    const installed = new Map<string, boolean>()
    for (const { model, place, agentPath } of namedModels(context)) {
      // A list may name one provider twice.
      for (const [provider, name] of new Map(model.providers.map((known) => [known.name, known.package]))) {
        if (name === undefined || registered.has(provider)) continue
        const found = installed.get(name) ?? surroundings.hasPackage(name) ?? true
        installed.set(name, found)
        if (found) continue
        const message = `"${provider}" needs the package ${name}, which is not installed`
        yield { message, place, agentPath, fix: `npm install ${name}` }
      }
    }
  },
}
