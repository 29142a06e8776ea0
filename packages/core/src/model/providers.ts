/** How a provider's models are made: by its own AI SDK package, or by the OpenAI-compatible one at a base URL. */
export type Provider =
  | { kind: 'package'; package: string; create: string; baseURL: string; keys: readonly string[] }
  | { kind: 'compatible'; baseURL: string; keys: readonly string[] }

const package_ = (name: string, create: string, baseURL: string, ...keys: string[]): Provider => ({
  kind: 'package',
  package: name,
  create,
  baseURL,
  keys,
})
const compatible = (baseURL: string, ...keys: string[]): Provider => ({ kind: 'compatible', baseURL, keys })

/**
 * The providers that a `'provider/model'` string can name. Each is the model maker's own service or a server of the user's: a bare
 * string never goes through a gateway that nobody asked for. A provider without `keys` needs none (a local server).
 */
export const PROVIDERS: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  ['openai', package_('@ai-sdk/openai', 'createOpenAI', 'https://api.openai.com/v1', 'OPENAI_API_KEY')],
  ['anthropic', package_('@ai-sdk/anthropic', 'createAnthropic', 'https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY')],
  [
    'google',
    package_(
      '@ai-sdk/google',
      'createGoogleGenerativeAI',
      'https://generativelanguage.googleapis.com/v1beta',
      'GOOGLE_GENERATIVE_AI_API_KEY',
      'GEMINI_API_KEY',
    ),
  ],
  ['mistral', compatible('https://api.mistral.ai/v1', 'MISTRAL_API_KEY')],
  ['groq', compatible('https://api.groq.com/openai/v1', 'GROQ_API_KEY')],
  ['deepseek', compatible('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY')],
  ['xai', compatible('https://api.x.ai/v1', 'XAI_API_KEY')],
  ['openrouter', compatible('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY')],
  ['ollama', compatible('http://127.0.0.1:11434/v1')],
  ['lmstudio', compatible('http://127.0.0.1:1234/v1')],
  ['llamacpp', compatible('http://127.0.0.1:8080/v1')],
  ['vllm', compatible('http://127.0.0.1:8000/v1')],
])

/** The environment variable that replaces a provider's base URL, such as `OLLAMA_BASE_URL`. */
export function baseUrlVariable(provider: string): string {
  return `${provider.toUpperCase()}_BASE_URL`
}
