/** A model server that answers on this machine. */
export interface LocalServer {
  /** The provider by which its models are named: `ollama/…`. */
  readonly provider: string
  readonly name: string
  readonly address: string
  readonly models: readonly string[]
}

export interface FindOptions {
  readonly fetch?: typeof fetch
  /** Where to ask, by provider, in place of the usual port. It must be a loopback address. */
  readonly addresses?: Readonly<Record<string, string>>
  /** Ends the search. Default: after 300 ms. */
  readonly limit?: AbortSignal
}

type ModelsOf = (body: unknown) => readonly string[] | undefined

interface Candidate {
  readonly provider: string
  readonly name: string
  readonly port: number
  /** What is asked, one after the other until an answer has the right shape. */
  readonly questions: readonly (readonly [path: string, modelsOf: ModelsOf])[]
}

const CANDIDATES: readonly Candidate[] = [
  { provider: 'ollama', name: 'Ollama', port: 11434, questions: [['/api/tags', ollamaModels]] },
  { provider: 'lmstudio', name: 'LM Studio', port: 1234, questions: [['/v1/models', openAiModels]] },
  {
    provider: 'llamacpp',
    name: 'llama.cpp',
    port: 8080,
    questions: [
      ['/v1/models', openAiModels],
      ['/props', llamaCppModel],
    ],
  },
  { provider: 'vllm', name: 'vLLM', port: 8000, questions: [['/v1/models', openAiModels]] },
]

const LIMIT_MS = 300
const LONGEST_ANSWER = 1_000_000

/**
 * Asks loopback, and nothing but loopback, for model servers: all at the same time, and for a moment only. What does not answer in
 * the right shape is none. Never throws.
 */
export async function findLocalServers(options: FindOptions = {}): Promise<LocalServer[]> {
  const { addresses, limit = AbortSignal.timeout(LIMIT_MS) } = options
  const ask = options.fetch ?? fetch
  const timeUp = new Promise<undefined>((resolve) => {
    if (limit.aborted) resolve(undefined)
    limit.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const answers = CANDIDATES.map((candidate) => {
    const address = addresses === undefined ? `http://127.0.0.1:${candidate.port}` : addresses[candidate.provider]
    return address === undefined ? undefined : Promise.race([timeUp, question(candidate, address, ask, limit)])
  })
  return (await Promise.all(answers)).filter((server) => server !== undefined)
}

/** Whether a provider's models are served on this machine. */
export function isLocalProvider(provider: string): boolean {
  return CANDIDATES.some((candidate) => candidate.provider === provider)
}

async function question(
  { provider, name, questions }: Candidate,
  address: string,
  ask: typeof fetch,
  signal: AbortSignal,
): Promise<LocalServer | undefined> {
  for (const [path, modelsOf] of questions) {
    try {
      // A redirect could lead off this machine.
      const response = await ask(`${address}${path}`, { signal, redirect: 'error' })
      const models = response.ok ? modelsOf(await readJson(response)) : undefined
      const usable = models?.filter(isName) ?? []
      if (usable.length > 0) return { provider, name, address, models: usable }
    } catch {
      // Nobody listens there, or somebody else does.
    }
  }
  return undefined
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > LONGEST_ANSWER) throw new Error('too long')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** `{ models: [{ name }] }`; the tag `latest` is what a name without a tag means. */
function ollamaModels(body: unknown): string[] | undefined {
  const models = field(body, 'models')
  if (!Array.isArray(models)) return undefined
  return models.map((model) => String(field(model, 'name')).replace(/:latest$/, ''))
}

/** `{ object: 'list', data: [{ id }] }` */
function openAiModels(body: unknown): string[] | undefined {
  const data = field(body, 'data')
  if (field(body, 'object') !== 'list' || !Array.isArray(data)) return undefined
  return data.map((model) => String(field(model, 'id')))
}

/** `{ default_generation_settings, model_path }`: the one model that is loaded. */
function llamaCppModel(body: unknown): string[] | undefined {
  const path = field(body, 'model_path')
  if (field(body, 'default_generation_settings') === undefined || typeof path !== 'string') return undefined
  return [path.split(/[\\/]/).at(-1) ?? path]
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

/** A name that can be typed; models that only embed can't hold a conversation. */
function isName(name: string): boolean {
  return name !== 'undefined' && /^[\x21-\x7e]{1,200}$/.test(name) && !/embed/i.test(name)
}
