import type { MemoryTurn } from '@retinue/core/memory'
import type { ThreadKey, ThreadStorage } from '@retinue/core/storage'
import type { Job } from '../afterwork.ts'
import type { Settings } from '../options/settings.ts'
import { type Exchange, generatedTitle } from './generated-title.ts'
import { titleText } from './title-text.ts'

/** How a title is made, and of what. */
export interface TitleRequest {
  readonly setting: NonNullable<Settings['title']>
  readonly exchange: Exchange
  readonly requestContext: MemoryTurn['requestContext']
}

/**
 * Gives a thread a title, unless it got one meanwhile: a person's own is never replaced. `failed` is told if the model can't be asked;
 * the first words stand in for it. Rejects, and gives none, when the job is to end.
 */
export async function giveTitle(
  job: Job,
  threads: ThreadStorage,
  key: ThreadKey,
  request: TitleRequest,
  failed: (thrown: unknown) => void,
): Promise<void> {
  // Since its turn began, a run before it may have given one: no model is asked for what is not used.
  if (request.setting !== 'words' && (await job.ask(() => threads.get(key))).title !== undefined) return
  const title = (await modelsTitle(job, request, failed)) || titleText(request.exchange.question)
  // A title is no use of the thread, whose last use never goes back: it moves to no other place in a listing.
  if (title !== '') await threads.update({ ...key, title, onlyUntitled: true, at: 0 })
}

async function modelsTitle(
  job: Job,
  { setting, exchange, requestContext }: TitleRequest,
  failed: (thrown: unknown) => void,
): Promise<string> {
  if (setting === 'words') return ''
  try {
    return await job.ask((signal) => generatedTitle(setting, exchange, requestContext, signal))
  } catch (thrown) {
    if (job.aborted) throw thrown
    failed(thrown)
    return ''
  }
}
