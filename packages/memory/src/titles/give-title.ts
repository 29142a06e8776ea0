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
  const read = () => job.ask(() => threads.get(key))
  // Since its turn began, a run before it may have given one: no model is asked for what is not used.
  if (request.setting !== 'words' && (await read()).title !== undefined) return
  const title = (await modelsTitle(job, request, failed)) || titleText(request.exchange.question)
  if (title === '') return
  const thread = await read()
  // A title is no use of the thread: it moves to no other place in a listing.
  if (thread.title === undefined) await threads.update({ ...key, title, at: thread.updatedAt })
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
