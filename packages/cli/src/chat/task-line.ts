import { shortTask, type TaskChunk, taskText } from '../run/task-text.ts'
import { safeLine } from '../safe-text.ts'
import { type Line, type Style, span } from './styled-line.ts'

/** How a task stands, between two turns. */
export function taskLine(chunk: TaskChunk): Line {
  const { taskId, toolName } = chunk.payload
  const { mark, words, tone, why } = taskText(chunk, false)
  const style: Style = tone
  const line = [
    span(`${mark} `, style),
    span(`task ${shortTask(taskId)}  `, 'quiet'),
    span(safeLine(toolName), 'strong'),
    span(`  ${words}`, style),
  ]
  return why === undefined ? line : [...line, span(`  ${safeLine(why)}`, 'quiet')]
}
