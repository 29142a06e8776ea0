import { namedModels } from './models.ts'
import type { Rule } from './rule.ts'

/** Providers with a package of their own; all others that are known speak through the compatible one. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['openai', '@ai-sdk/openai'],
  ['anthropic', '@ai-sdk/anthropic'],
  ['google', '@ai-sdk/google'],
])

/** B1.2: a provider's package is loaded when its model is first asked, so a missing one comes out late. */
export const modelPackageMissing: Rule = {
  code: 'model-package-missing',
  severity: 'warning',
  why: "a provider's models are made by its AI SDK package, which is not part of Retinue",
  *check(context) {
    const { surroundings } = context.discovered.tree
    if (surroundings === undefined) return
    const configs = context.plans.map(({ config }) => config).filter((config) => typeof config === 'object')
    // One that is registered anywhere may be meant, and brings its models along.
    const registered = new Set(configs.flatMap(({ providers }) => providers))
    const installed = new Map<string, boolean>()
    for (const { model, place, agentPath } of namedModels(context)) {
      for (const provider of new Set(model.providers)) {
        if (provider === 'offline' || registered.has(provider)) continue
        const name = PACKAGES.get(provider) ?? '@ai-sdk/openai-compatible'
        const found = installed.get(name) ?? surroundings.hasPackage(name) ?? true
        installed.set(name, found)
        if (found) continue
        const message = `"${provider}" needs the package ${name}, which is not installed`
        yield { message, place, agentPath, fix: `npm install ${name}` }
      }
    }
  },
}
