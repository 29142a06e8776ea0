import { createTool, type Tool } from '@retinue/core/tools'
import type { Notes } from './notes.ts'

const DESCRIPTION = `Replaces your working memory by a new text. Give the whole text as it should be from now on, with what is in it already and still true: what you leave out is forgotten. Call it only when you have learned something that will matter later, or a note is no longer true.`

/**
 * The tool that replaces notes. A text can't be merged without the model: if somebody wrote meanwhile, it is told what is there now and
 * asked to call again.
 */
export function textTool(notes: Notes): Tool {
  return createTool({
    id: 'update-working-memory',
    description: DESCRIPTION,
    inputSchema: {
      type: 'object',
      properties: { memory: { type: 'string', description: 'The whole text, in Markdown.' } },
      required: ['memory'],
      additionalProperties: false,
    },
    execute: async ({ memory }) => {
      if (await notes.replace(memory as string)) return { saved: true }
      return {
        saved: false,
        reason: 'Your working memory was changed meanwhile. Call again with a text that keeps what is in it now.',
        now: notes.text,
      }
    },
  })
}
