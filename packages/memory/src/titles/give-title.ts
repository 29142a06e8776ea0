import type { MemoryTurn } from '@retinue/core/memory'
import type { ThreadKey, ThreadStorage } from '@retinue/core/storage'
import type { Settings } from '../options/settings.ts'
import { type Exchange, generatedTitle } from './generated-title.ts'
import { titleText } from './title-text.ts'

/**
 * Gives a thread a title, unless it got one meanwhile: a person's own is never replaced. `failed` is told if the model can't be asked;
 * the first words stand in for it.
 */
export async function giveTitle(
  threads: ThreadStorage,
  key: ThreadKey,
  setting: NonNullable<Settings['title']>,
  exchange: Exchange,
  requestContext: MemoryTurn['requestContext'],
  failed: (thrown: unknown) => void,
): Promise<void> {
  const title = (await modelsTitle(setting, exchange, requestContext, failed)) || titleText(exchange.question)
  if (title === '') return
  const thread = await threads.get(key)
  // A title is no use of the thread: it moves to no other place in a listing.
  if (thread.title === undefined) await threads.update({ ...key, title, at: thread.updatedAt })
}

async function modelsTitle(
  setting: NonNullable<Settings['title']>,
  exchange: Exchange,
  requestContext: MemoryTurn['requestContext'],
  failed: (thrown: unknown) => void,
): Promise<string> {
  if (setting === 'words') return ''
  try {
    return await generatedTitle(setting, exchange, requestContext)
  } catch (thrown) {
    failed(thrown)
    return ''
  }
}
