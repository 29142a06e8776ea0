import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import { isLanguageModel, keepSecrets, type LanguageModel } from './language-model.ts'
import { baseUrlVariable, PROVIDERS, type Provider } from './providers.ts'
import { type Providers, registeredModel } from './registered-providers.ts'

/** The variables of the process, where there is one: core also runs where there is none. */
export type Environment = Readonly<Record<string, string | undefined>>

function processEnvironment(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {}
}

/** Where models come from beside the known providers. */
export interface ResolveOptions {
  /** The variables that hold keys and base URLs. Default: the process's. */
  env?: Environment
  /** Providers of the application's own; they come before the known ones. */
  providers?: Providers | undefined
}

/**
 * Makes the model that a `'provider/model'` string names: of a registered provider, else of a known one, whose package is imported
 * now and not before. Throws `model-invalid`, `model-provider-unknown`, `model-key-missing` or `model-package-missing`.
 */
export async function resolveModel(name: string, options: ResolveOptions = {}): Promise<LanguageModel> {
  const { env = processEnvironment(), providers } = options
  const slash = name.indexOf('/')
  const provider = name.slice(0, slash)
  const modelId = name.slice(slash + 1)
  if (slash < 1 || modelId === '') {
    throw new RetinueError({
      code: 'model-invalid',
      message: `"${name}" is no model name.`,
      hint: "Write it as 'provider/model', such as 'openai/gpt-5.5'.",
    })
  }
  const registered = registeredModel(providers, provider, modelId)
  if (registered) return registered
  if (provider === 'offline') return offlineModel(modelId)
  const known = PROVIDERS.get(provider)
  if (!known) throw unknownProvider(provider, Object.keys(providers ?? {}))
  const key = requireKey(name, known, env)
  const baseURL = baseUrlOf(provider, known, env)
  // A variable that is set to nothing is not set; and a package that is told does not look for one itself.
  const settings = { ...key, baseURL }
  const made =
    known.kind === 'package' ? fromPackage(known, modelId, settings) : fromCompatible(provider, modelId, settings)
  return keepSecrets(await made, key.apiKey)
}

/** The variables that hold the key of a model's provider; the first that is set is used. Empty where none is needed. */
export function keyVariables(name: string): readonly string[] {
  return PROVIDERS.get(name.slice(0, name.indexOf('/')))?.keys ?? []
}

/** The names that can stand before the slash of `'provider/model'` without being registered. */
export function knownProviders(): readonly string[] {
  return ['offline', ...PROVIDERS.keys()]
}

/** The package that makes the models of a known provider; undefined where there is no such package, as for a registered one. */
export function packageOf(provider: string): string | undefined {
  const known = PROVIDERS.get(provider)
  return known?.kind === 'compatible' ? COMPATIBLE : known?.package
}

const COMPATIBLE = '@ai-sdk/openai-compatible'

/** Where a provider's models are asked: what its variable says, else its own address. */
function baseUrlOf(provider: string, known: Provider, env: Environment): string {
  const variable = baseUrlVariable(provider)
  const given = env[variable]?.trim()
  if (!given) return known.baseURL
  if (/^https?:$/.test(URL.canParse(given) ? new URL(given).protocol : '')) return given
  throw new RetinueError({
    code: 'model-invalid',
    message: `${variable} holds no URL that can be asked.`,
    hint: `Write it with http:// or https://, and with the version where the service has one: ${known.baseURL}`,
    data: { variable },
  })
}

function requireKey(name: string, provider: Provider, env: Environment): { apiKey?: string } {
  if (provider.keys.length === 0) return {}
  for (const variable of provider.keys) {
    const apiKey = env[variable]?.trim()
    if (apiKey) return { apiKey }
  }
  throw new RetinueError({
    code: 'model-key-missing',
    message: `The model "${name}" needs a key, and ${provider.keys.join(' or ')} is not set.`,
    hint: `Set ${provider.keys[0]}, or name another model (an agent's \`model\`, or RETINUE_MODEL on the command line).`,
    data: { model: name, variables: provider.keys },
  })
}

async function fromPackage(
  provider: Provider & { kind: 'package' },
  modelId: string,
  settings: object,
): Promise<LanguageModel> {
  const create = (await importPackage(provider.package))[provider.create]
  return makeModel(provider.package, create, modelId, settings)
}

async function fromCompatible(name: string, modelId: string, settings: object): Promise<LanguageModel> {
  const create = (await importPackage(COMPATIBLE))['createOpenAICompatible']
  return makeModel(COMPATIBLE, create, modelId, { name, includeUsage: true, ...settings })
}

function makeModel(from: string, create: unknown, modelId: string, settings: object): LanguageModel {
  const provider: unknown = typeof create === 'function' ? create(settings) : undefined
  const model: unknown = typeof provider === 'function' ? provider(modelId) : undefined
  if (isLanguageModel(model)) return model
  throw new RetinueError({
    code: 'model-package-missing',
    message: `The package ${from} makes no language model that this version knows (specification v2, v3 or v4).`,
    hint: `Install a version of it that fits: npm install ${from}@latest`,
  })
}

async function importPackage(name: string): Promise<Record<string, unknown>> {
  try {
    return await importByName(name)
  } catch (cause) {
    throw new RetinueError({
      code: 'model-package-missing',
      message: `The package ${name} is not installed.`,
      hint: `npm install ${name}`,
      data: { package: name },
      cause,
    })
  }
}

/** Literal imports, so that bundlers see them; each package is an optional peer. */
async function importByName(name: string): Promise<Record<string, unknown>> {
  switch (name) {
    case '@ai-sdk/openai':
      return import('@ai-sdk/openai')
    case '@ai-sdk/anthropic':
      return import('@ai-sdk/anthropic')
    case '@ai-sdk/google':
      return import('@ai-sdk/google')
    default:
      return import('@ai-sdk/openai-compatible')
  }
}

async function offlineModel(modelId: string): Promise<LanguageModel> {
  const { createEcho, createPlanner } = await import('./offline/index.ts')
  if (modelId === 'planner') return createPlanner()
  if (modelId === 'echo') return createEcho()
  throw new RetinueError({
    code: 'model-invalid',
    message: `There is no offline model "${modelId}".`,
    hint: "Use 'offline/planner' or 'offline/echo'; the command line also plays 'offline/script:FILE'.",
  })
}

function unknownProvider(provider: string, registered: readonly string[]): RetinueError {
  return new RetinueError({
    code: 'model-provider-unknown',
    message: `No provider is called "${provider}".`,
    hint: `Use one of ${[...registered, ...PROVIDERS.keys()].join(', ')}, register it in the option 'providers', or pass an AI SDK model object.`,
    data: { provider },
  })
}

/** Whether an error is about getting a model at all: what only a person at the keyboard can mend. */
export function isModelUnavailable(error: unknown): boolean {
  return (
    isObject(error) &&
    typeof error['code'] === 'string' &&
    /^model-(key|package|provider|missing|invalid)/.test(error['code'])
  )
}
