import { type Agent, Retinue } from '@retinue/core'
import { InMemoryStorage } from '@retinue/core/storage'
import { Memory } from '@retinue/memory'

/** An agent as the commands have it: with a memory, over a storage that lasts as long as the test. */
export function remembering(agent: Agent): Agent {
  return new Retinue({ agents: { agent }, storage: new InMemoryStorage(), memory: new Memory() }).getAgent('agent')
}
