import { findLocalServers, isLocalProvider, type LocalServer } from './local-servers.ts'

/** How many models of a server are named at the start; `/model` lists them all. */
const NAMED = 5

/** The models that servers on this machine offer, numbered as they were last shown. They are offered, and never used unasked. */
export class LocalModels {
  readonly #find: () => Promise<readonly LocalServer[]>
  readonly #env: Readonly<Record<string, string | undefined>>
  #servers: readonly LocalServer[] = []

  constructor(
    env: Readonly<Record<string, string | undefined>>,
    find: () => Promise<readonly LocalServer[]> = findLocalServers,
  ) {
    this.#env = env
    this.#find = find
  }

  /** Asks the servers again. */
  async refresh(): Promise<void> {
    this.#servers = await this.#find()
  }

  /** The names to pick by, in the order of their numbers. */
  get names(): string[] {
    return this.#servers.flatMap(({ provider, models }) => models.map((model) => `${provider}/${model}`))
  }

  /** One line for each server: what it has and how to use it. */
  offers(): string[] {
    let number = 1
    return this.#servers.map(({ name, provider, models }) => {
      const first = number
      number += models.length
      const more = models.length > NAMED ? ` and ${models.length - NAMED} more (/model lists them)` : ''
      const named = models.slice(0, NAMED).join(', ')
      return `${name} runs here with ${named}${more}: use it with /model ${provider}/${models[0]} (or /model ${first})`
    })
  }

  /** Why a model can't answer although its name is sound: its server is not there, or does not have it. */
  async problemOf(name: string): Promise<string | undefined> {
    const slash = name.indexOf('/')
    const provider = name.slice(0, slash)
    // A base URL that the user has set may lead to a server that nobody has asked.
    if (!isLocalProvider(provider) || this.#env[`${provider.toUpperCase()}_BASE_URL`]) return undefined
    await this.refresh()
    const server = this.#servers.find((found) => found.provider === provider)
    if (!server) return `No server for ${provider} answers on this machine. Start it, then try again.`
    const model = name.slice(slash + 1).replace(/:latest$/, '')
    // llama.cpp answers with the model that it has loaded, whatever the name.
    if (provider === 'llamacpp' || server.models.includes(model)) return undefined
    return `${server.name} has no model "${model}". It has ${server.models.join(', ')}.`
  }
}
