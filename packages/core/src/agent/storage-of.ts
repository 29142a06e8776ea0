import { type Application, warnIn } from '../memory/application.ts'
import { InMemoryStorage } from '../storage/in-memory-storage.ts'
import type { Storage } from '../storage/storage.ts'
import type { AgentParts } from './agent-parts.ts'

/** Where trees are kept, if there was one to keep. */
export function storageInUse(parts: AgentParts, application: Application): Storage | undefined {
  return application.storage ?? (application.inProcess ?? parts.inProcess).storage
}

/** Where trees are kept: in the application's storage, or else in this process, which is said once. */
export function storageOf(parts: AgentParts, application: Application): Storage {
  if (application.storage) return application.storage
  const holder = application.inProcess ?? parts.inProcess
  if (!holder.storage) {
    holder.storage = new InMemoryStorage()
    warnIn(
      application,
      'runs-in-process',
      `Runs of the agent "${parts.options.id}" that wait for a person are kept in this process alone. To keep them longer, give the application a storage: new Retinue({ agents, storage: new LibSQLStore({ id, url }) }).`,
    )
  }
  return holder.storage
}
