import { disarm } from '../messages/framework-note.ts'
import { addMessage, emit, type Run } from './run.ts'

/** Makes a delegation's answer the run's own. */
export function relay(run: Run, text: string): void {
  const { state } = run
  const id = `relay-${state.iteration}`
  emit(run, 'text-start', { id })
  emit(run, 'text-delta', { id, text })
  emit(run, 'text-end', { id })
  addMessage(run, { role: 'assistant', content: [{ type: 'text', text: disarm(text) }] })
  state.text = text
}
