interface Counterpart {
  readonly name: string
  /** What it exports, to look names up in. */
  readonly load: () => Promise<object>
}

/** What each module of Mastra is called here. The names in it are looked up when it is imported from. */
export const MODULES: ReadonlyMap<string, Counterpart> = new Map([
  ['@mastra/core', { name: '@retinue/core', load: () => import('@retinue/core') }],
  ['@mastra/core/mastra', { name: '@retinue/core', load: () => import('@retinue/core') }],
  ['@mastra/core/agent', { name: '@retinue/core/agent', load: () => import('@retinue/core/agent') }],
  ['@mastra/core/tools', { name: '@retinue/core/tools', load: () => import('@retinue/core/tools') }],
  ['@mastra/core/evals', { name: '@retinue/core/evals', load: () => import('@retinue/core/evals') }],
  ['@mastra/core/processors', { name: '@retinue/core/processors', load: () => import('@retinue/core/processors') }],
  [
    '@mastra/core/request-context',
    { name: '@retinue/core/request-context', load: () => import('@retinue/core/request-context') },
  ],
  ['@mastra/memory', { name: '@retinue/memory', load: () => import('@retinue/memory') }],
  ['@mastra/libsql', { name: '@retinue/libsql', load: () => import('@retinue/libsql') }],
  // Its names are looked at by `check`: the package is one that the project installs.
  ['@mastra/evals/scorers/prebuilt', { name: '@retinue/evals/scorers/prebuilt', load: async () => ({}) }],
])

/** Names that are others here. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ['Mastra', 'Retinue'],
  ['RuntimeContext', 'RequestContext'],
])
