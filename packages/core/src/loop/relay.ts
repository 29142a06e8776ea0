import { isRetinueError } from '../errors/retinue-error.ts'
import { disarm } from '../messages/framework-note.ts'
import type { Relayed } from '../tools/outcome.ts'
import { addMessage, emit, type Run } from './run.ts'
import type { RunProcessors } from './run-processors.ts'
import type { Step } from './run-state.ts'

/** Makes a delegation's answer the run's own: its last step says it, with what belongs to it, as the output processors leave it. */
export async function relay(run: Run, step: Step, answer: Relayed): Promise<void> {
  const passed = run.processors?.output.length ? await passedOn(run, run.processors, answer) : answer
  if (passed) say(run, step, passed)
}

/** What the output processors leave of an answer that somebody else's model gave; undefined if one of them stopped the run. */
async function passedOn(run: Run, processors: RunProcessors, answer: Relayed): Promise<Relayed | undefined> {
  const { processRelayed } = await import('./run-processors.ts')
  try {
    return await processRelayed(run, processors, answer)
  } catch (thrown) {
    if (!isRetinueError(thrown)) throw thrown
    run.stopped = thrown
    return undefined
  }
}

function say(run: Run, step: Step, { text, object, sources, files }: Relayed): void {
  const { state } = run
  const isSaid = text.trim() !== ''
  if (isSaid) {
    const id = `relay-${state.iteration}`
    emit(run, 'text-start', { id })
    emit(run, 'text-delta', { id, text })
    emit(run, 'text-end', { id })
  }
  for (const source of sources) emit(run, 'source', source)
  for (const file of files) emit(run, 'file', file)
  step.sources.push(...sources)
  step.files.push(...files)
  step.text = text
  step.finishReason = 'stop'
  state.text = text
  // Where the run has a schema of its own, the text is checked against that.
  if (object !== undefined && !run.answer) {
    state.object = object
    emit(run, 'object', { object })
  }
  if (isSaid) addMessage(run, { role: 'assistant', content: [{ type: 'text', text: disarm(text) }] })
}
