import { disarm } from '../messages/framework-note.ts'
import type { Relayed } from '../tools/outcome.ts'
import { addMessage, emit, type Run } from './run.ts'
import type { Step } from './run-state.ts'

/** Makes a delegation's answer the run's own: its last step says it, with what belongs to it. */
export function relay(run: Run, step: Step, { text, object, sources, files }: Relayed): void {
  const { state } = run
  const id = `relay-${state.iteration}`
  emit(run, 'text-start', { id })
  emit(run, 'text-delta', { id, text })
  emit(run, 'text-end', { id })
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
  addMessage(run, { role: 'assistant', content: [{ type: 'text', text: disarm(text) }] })
}
